import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Files of the login pages are public; the server sends all others to agents only. */
const folderOf = (name: string | undefined): string => (name === 'main' ? 'assets' : 'assets/login');

/** Builds the page into the package. URLs are relative, so that the desk can be mounted anywhere. */
export default defineConfig({
  root: at('.'),
  base: './',
  publicDir: at('public'),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: at('../../../dist/desk/page'),
    emptyOutDir: true,
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: {
        main: at('index.html'),
        login: at('login.html'),
        'host-login': at('host-login.html'),
        'service-worker': at('src/service-worker.ts'),
      },
      output: {
        // Browsers ask for a new version of the service worker under the same name.
        entryFileNames: ({ name }) =>
          name === 'service-worker' ? '[name].js' : `${folderOf(name)}/[name]-[hash].js`,
        chunkFileNames: ({ name }) => `${name === 'admin' ? 'assets' : 'assets/login'}/[name]-[hash].js`,
        assetFileNames: ({ names }) => `${folderOf(names[0]?.replace(/\.\w+$/, ''))}/[name]-[hash][extname]`,
      },
    },
  },
});
