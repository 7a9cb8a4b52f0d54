// @ts-check
// A process with the built package and the OpenTelemetry SDK: `accept` stores one event and is killed, `handle` handles
// it and sends the reply. Prints its spans.
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { sqlite } from '../../dist/delivery/sqlite/index.js';
import { startOpenTelemetry } from '../../dist/opentelemetry/index.js';
import { createReceiver, noAuth } from '../../dist/public/index.js';

const [mode, file = '', baseUrl = '', traceparent = ''] = process.argv.slice(2);
const exporter = new InMemorySpanExporter();
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
startOpenTelemetry();

const receiver = createReceiver({
  auth: { message: noAuth(), handoff: noAuth() },
  platform: { baseUrl, apiKey: 'key' },
  delivery: sqlite({ file }),
  log: false,
});
receiver.on('handoff.requested', () => undefined);
receiver.on('handoff.message', async ({ text, reply }) => {
  const receipt = await reply(`You said: ${text}`);
  void receipt.delivered().then(finish);
});

function print() {
  const spans = exporter.getFinishedSpans().map((span) => ({
    name: span.name,
    kind: ['internal', 'server', 'client', 'producer', 'consumer'][span.kind],
    id: span.spanContext().spanId,
    parentId: span.parentSpanContext?.spanId ?? null,
    traceId: span.spanContext().traceId,
    startedAt: span.startTime[0] * 1e9 + span.startTime[1],
    attributes: span.attributes,
  }));
  process.stdout.write(JSON.stringify(spans));
}

async function finish() {
  // The handler and the sending of its reply end first.
  await receiver.close();
  print();
}

if (mode === 'accept') {
  const answer = await receiver.fetch(
    new Request('http://localhost/chat', {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent },
      body: JSON.stringify({ conversation_id: 'c-1', timestamp: Date.now(), body: 'Hello' }),
    }),
  );
  if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
  // The span of the request ends right after its answer.
  await new Promise(setImmediate);
  print();
  // Printed to a pipe, which is synchronous.
  process.kill(process.pid, 'SIGKILL');
} else {
  await receiver.start();
}
