// Plain JavaScript, because it must run on the versions that it refuses.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 15)) {
  process.stderr.write(
    `Packs needs Node 22.15 or newer, this is ${process.version}.\n` +
      `The workspace brings its own Node 24 on Linux (x64, arm64), Windows (x64) and macOS (x64); on ` +
      `${process.platform} ${process.arch} install Node 24 from https://nodejs.org and run the command again.\n`,
  )
  process.exitCode = 1
}
