import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { flakyPlatform } from '../helpers/fake-platform.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';
import { drawTree, type PlainSpan } from './sdk.js';

const PROGRAM = join(import.meta.dirname, 'process.js');
const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

/** Runs a process to its end, however it ends, and returns its spans. */
const spansOf = (...args: string[]): Promise<PlainSpan[]> =>
  new Promise((resolve, reject) => {
    execFile(process.execPath, [PROGRAM, ...args], (error, stdout, stderr) => {
      if (stdout === '') reject(new Error(`no spans: ${stderr}`, { cause: error }));
      else resolve(JSON.parse(stdout) as PlainSpan[]);
    });
  });

it("the sender's trace continues in the process that handles the event after a kill", async () => {
  const platform = await flakyPlatform();
  const args = [join(await temporaryFolder(), 'handoff.db'), platform.options.baseUrl];
  const accepted = await spansOf('accept', ...args, `00-${TRACE_ID}-b7ad6b7169203331-01`);
  const handled = await spansOf('handle', ...args);
  expect(platform.said('c-1')).toEqual(['You said: Hello']);

  expect(accepted.find(({ name }) => name === 'POST /chat')).toMatchObject({ parentId: 'b7ad6b7169203331' });
  const spans = [...accepted, ...handled];
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE_ID]));
  const tree = drawTree(spans);
  console.log(`\n${tree}\n`);
  expect(tree).toBe(`POST /chat · server
└─ send inbox · producer
   └─ process inbox · consumer
      └─ send outbox · producer
         └─ process outbox · consumer
            └─ POST /v1/human/message/receive · client`);
});
