// By default Vite bundles no package for a server.
export default { ssr: { noExternal: true }, build: { ssr: 'src/node.js', outDir: 'dist/vite-server' } };
