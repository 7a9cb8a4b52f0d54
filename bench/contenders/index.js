/**
 * Who takes part. Each is served by a process of its own, which loads `module` and nothing of the others.
 *
 * @typedef {object} Contender
 * @property {string} id
 * @property {string} title
 * @property {string} module
 * @property {import('../requests.js').RecipeName} recipe
 * @property {boolean} [validates] a body without what identifies the message is refused
 * @property {boolean} [needsDist] it uses the built project
 * @property {Variant} [variant]
 *
 * @typedef {object} Variant
 * @property {'express' | 'http' | 'before'} mount
 * @property {boolean} [log]
 * @property {boolean} [reads]
 * @property {boolean} [isAsync]
 *
 * @typedef {object} Context
 * @property {() => void} handled to be called once for each request that reached the handler
 * @property {string} logFile
 * @property {Variant} [variant]
 *
 * @typedef {(context: Context) => import('node:http').Server | Promise<import('node:http').Server>} CreateServer
 */

/** What everybody else is measured beside, in the same half minute. @type {readonly Contender[]} */
export const yardsticks = [
  { id: 'bare', title: 'bare node:http, reads and parses', module: 'bare.js', recipe: 'plain' },
  { id: 'express', title: 'Express 5 floor, reads and parses', module: 'express.js', recipe: 'plain' },
];

/** What a user would pick instead. @type {readonly Contender[]} */
const peers = [
  {
    id: 'express-json-zod',
    title: 'Express 5 + express.json + basic auth + zod',
    module: 'express-json-zod.js',
    recipe: 'basic',
    validates: true,
    needsDist: true,
  },
  { id: 'octokit', title: '@octokit/webhooks on node:http', module: 'octokit.js', recipe: 'github' },
  { id: 'bolt-express', title: '@slack/bolt ExpressReceiver', module: 'bolt-express.js', recipe: 'slack' },
  { id: 'bolt-http', title: '@slack/bolt HTTPReceiver', module: 'bolt-http.js', recipe: 'slack' },
  { id: 'line', title: '@line/bot-sdk middleware in Express 5', module: 'line.js', recipe: 'line' },
];

/** @returns {Contender} */
const ours = (/** @type {string} */ id, /** @type {string} */ title, /** @type {Variant} */ variant) => ({
  id,
  title: `handoff-kit ${title}`,
  module: 'handoff-kit.js',
  recipe: 'basic',
  validates: true,
  needsDist: true,
  variant,
});

/** @type {readonly Contender[]} */
export const contenders = [
  ...yardsticks,
  ...peers,
  ours('mounted', 'mounted in Express 5', { mount: 'express' }),
  ours('mounted-reads', 'mounted, handler reads all', { mount: 'express', reads: true }),
  ours('mounted-async', 'mounted, async handler', { mount: 'express', isAsync: true }),
  ours('mounted-log', 'mounted, logging on', { mount: 'express', log: true }),
  ours('http', 'on node:http', { mount: 'http' }),
  ours('http-reads', 'on node:http, handler reads all', { mount: 'http', reads: true }),
  ours('http-async', 'on node:http, async handler', { mount: 'http', isAsync: true }),
  ours('http-log', 'on node:http, logging on', { mount: 'http', log: true }),
  ours('before', 'in front of Express 5', { mount: 'before' }),
];
