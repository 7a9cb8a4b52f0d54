import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../../src');

/** The Node modules that an entry loads, itself or through its dependencies. */
async function nodeModulesOf(entry: string): Promise<string[]> {
  const bundle = await rolldown({ input: join(SRC, entry), platform: 'node', logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  await bundle.close();
  const [{ code, imports, dynamicImports }] = output;
  const required = [...code.matchAll(/__require\("([^"]+)"\)/g)].map(([, name = '']) => name);
  return [...imports, ...dynamicImports, ...required].map((name) => name.replace(/^node:/, ''));
}

const SERVERS = ['http', 'https', 'http2', 'net'];

it.each(['public/index.ts', 'bindings/hono.ts', 'bindings/lambda.ts', 'bindings/fastify.ts'])(
  '%s loads no Node server, so that it runs where only Fetch exists',
  async (entry) => {
    expect((await nodeModulesOf(entry)).filter((name) => SERVERS.includes(name))).toEqual([]);
  },
);

it('a Node server would be found', async () => {
  expect(await nodeModulesOf('simulator/index.ts')).toContain('http');
});
