export default {
  build: {
    outDir: 'dist/vite',
    // It needs a document, and the bundle runs in Node as well.
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { entryFileNames: 'web.js' } },
  },
};
