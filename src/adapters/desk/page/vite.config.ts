import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What the login needs is for everybody; all else lies beside it, for those who are logged in. */
const folderOf = (name: string | undefined): string => (name === 'main' ? 'assets' : 'assets/login');

/** Builds the page of the desk into the package. Addresses are relative: the desk can be mounted anywhere. */
export default defineConfig({
  root: at('.'),
  base: './',
  publicDir: at('public'),
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: at('../../../../dist/adapters/desk/page'),
    emptyOutDir: true,
    modulePreload: false,
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { main: at('index.html'), login: at('login.html'), elsewhere: at('elsewhere.html') },
      output: {
        entryFileNames: ({ name }) => `${folderOf(name)}/[name]-[hash].js`,
        chunkFileNames: 'assets/login/[name]-[hash].js',
        assetFileNames: ({ names }) => `${folderOf(names[0]?.replace(/\.\w+$/, ''))}/[name]-[hash][extname]`,
      },
    },
  },
});
