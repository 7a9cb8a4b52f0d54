import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startRecordProxy } from '../../src/cli/record-proxy.js';
import {
  createRecorder,
  platformEndpointOf,
  type RecordedLine,
  receiverEndpointOf,
} from '../../src/recording/index.js';
import { serve } from '../helpers/serve.js';
import { temporaryFolder } from '../helpers/sqlite-store.js';

type Listener = Parameters<typeof serve>[0];

/** A recorder between two servers of a test. `stop` returns the file. */
export async function recordBetween(
  {
    receiver,
    platform,
    keepContent = false,
  }: { receiver: Listener; platform?: Listener; keepContent?: boolean },
  path?: string,
) {
  const to = path ?? join(await temporaryFolder(), 'recording.jsonl');
  const warnings: string[] = [];
  const recorder = createRecorder({ to, keepContent }, (message) => warnings.push(message));
  const target = new URL((await serve(receiver)).url);
  const api = new URL((await serve(platform ?? ((_request, response) => void response.end('{}')))).url);
  const toReceiver = await startRecordProxy(
    {
      to: 'receiver',
      target,
      pathOf: (url) => url,
      recognise: (each) => receiverEndpointOf('/webhook', each),
      recorder,
    },
    0,
  );
  const toPlatform = await startRecordProxy(
    {
      to: 'platform',
      target: api,
      pathOf: (url) => url,
      recognise: (each) => {
        const endpoint = platformEndpointOf(each);
        return endpoint === null ? null : { endpoint, tokens: [] };
      },
      recorder,
    },
    0,
  );
  return {
    port: toReceiver.port,
    url: `http://127.0.0.1:${toReceiver.port}/webhook`,
    platformUrl: `http://127.0.0.1:${toPlatform.port}`,
    warnings,
    async stop(): Promise<{ text: string; lines: RecordedLine[] }> {
      await toReceiver.close();
      await toPlatform.close();
      await recorder.close();
      const text = await readFile(to, 'utf8');
      return { text, lines: linesOf(text) };
    },
  };
}

/** The exchanges of a recording, without its header. */
export const linesOf = (text: string): RecordedLine[] =>
  text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as RecordedLine);
