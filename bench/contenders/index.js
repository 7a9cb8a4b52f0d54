/**
 * The contenders. Each runs in its own process, which loads only its `module`.
 *
 * @typedef {object} Contender
 * @property {string} id
 * @property {string} title
 * @property {string} module
 * @property {import('../requests.js').RecipeName} recipe
 * @property {boolean} [validates] whether it refuses a body without a message id
 * @property {boolean} [needsDist] whether it uses the built project
 * @property {boolean} [readsText] whether its handler reads the text of the event
 * @property {Variant} [variant]
 *
 * @typedef {object} Variant
 * @property {'express' | 'http' | 'before' | 'fastify' | 'hono'} mount
 * @property {boolean} [log]
 * @property {'text' | 'async' | 'payload' | 'empty'} [handler] what the handler does; reads `text` by default
 *
 * @typedef {object} Context
 * @property {(text?: string) => void} handled to be called once per request, with the text that the handler read
 * @property {string} logFile
 * @property {Variant} [variant]
 *
 * @typedef {(context: Context) => import('node:http').Server | Promise<import('node:http').Server>} CreateServer
 */

/** Measured in the same rounds as each of the other contenders. @type {readonly Contender[]} */
export const yardsticks = [
  { id: 'bare', title: 'bare node:http, reads and parses', module: 'bare.js', recipe: 'plain' },
  { id: 'express', title: 'Express 5 floor, reads and parses', module: 'express.js', recipe: 'plain' },
];

/** The alternatives of a user. @type {readonly Contender[]} */
const peers = [
  {
    id: 'express-json-zod',
    title: 'Express 5 + express.json + basic auth + zod',
    module: 'express-json-zod.js',
    recipe: 'basic',
    validates: true,
    needsDist: true,
    readsText: true,
  },
  {
    id: 'fastify-zod',
    title: 'Fastify + basic auth + zod',
    module: 'fastify-zod.js',
    recipe: 'basic',
    validates: true,
    needsDist: true,
    readsText: true,
  },
  {
    id: 'hono-zod',
    title: 'Hono on Node + basic auth + zod',
    module: 'hono-zod.js',
    recipe: 'basic',
    validates: true,
    needsDist: true,
    readsText: true,
  },
  {
    id: 'octokit',
    title: '@octokit/webhooks on node:http',
    module: 'octokit.js',
    recipe: 'github',
    readsText: true,
  },
  {
    id: 'bolt-express',
    title: '@slack/bolt ExpressReceiver',
    module: 'bolt.js',
    recipe: 'slack',
    readsText: true,
    variant: { mount: 'express' },
  },
  {
    id: 'bolt-http',
    title: '@slack/bolt HTTPReceiver',
    module: 'bolt.js',
    recipe: 'slack',
    readsText: true,
    variant: { mount: 'http' },
  },
  {
    id: 'line',
    title: '@line/bot-sdk middleware in Express 5',
    module: 'line.js',
    recipe: 'line',
    readsText: true,
  },
];

/** @returns {Contender} */
const ours = (/** @type {string} */ id, /** @type {string} */ title, /** @type {Variant} */ variant) => ({
  id,
  title: `handoff-kit ${title}`,
  module: 'handoff-kit.js',
  recipe: 'basic',
  validates: true,
  needsDist: true,
  readsText: variant.handler !== 'empty',
  variant,
});

/** @type {readonly Contender[]} */
export const contenders = [
  ...yardsticks,
  ...peers,
  ours('mounted', 'mounted in Express 5', { mount: 'express' }),
  ours('mounted-async', 'mounted, async handler', { mount: 'express', handler: 'async' }),
  ours('mounted-payload', 'mounted, handler reads the whole payload', {
    mount: 'express',
    handler: 'payload',
  }),
  ours('mounted-empty', 'mounted, empty handler', { mount: 'express', handler: 'empty' }),
  ours('mounted-log', 'mounted, logging on', { mount: 'express', log: true }),
  ours('http', 'on node:http', { mount: 'http' }),
  ours('http-async', 'on node:http, async handler', { mount: 'http', handler: 'async' }),
  ours('http-payload', 'on node:http, handler reads the whole payload', {
    mount: 'http',
    handler: 'payload',
  }),
  ours('http-empty', 'on node:http, empty handler', { mount: 'http', handler: 'empty' }),
  ours('http-log', 'on node:http, logging on', { mount: 'http', log: true }),
  ours('before', 'in front of Express 5', { mount: 'before' }),
  ours('fastify', 'mounted in Fastify', { mount: 'fastify' }),
  ours('hono', 'mounted in Hono on Node', { mount: 'hono' }),
];
