import { requestTracker } from '../../../src/adapters/request-tracker/index.js';
import { serve } from '../../helpers/serve.js';

/** A transaction as RT's REST 2.0 returns it. */
export interface FakeTransaction {
  readonly id: number;
  readonly type: 'Correspond' | 'Status' | 'Set';
  readonly value?: string;
  readonly text?: string;
  /** Its age by RT's clock. */
  readonly ageMs?: number;
}

/** Replaces the responses of some paths. */
export type Override = (
  path: string,
) => { status: number; type?: string; body?: string; headers?: object } | null;

/**
 * The part of RT's REST 2.0 that polling reads, for situations that a real RT does not produce on demand. All authors
 * are agents. It stops when the test ends.
 */
export async function fakeRt(
  transactions: () => readonly FakeTransaction[],
  override: Override = () => null,
) {
  const asked: string[] = [];
  const now = Date.now();
  const served = await serve((request, response) => {
    const url = new URL(request.url ?? '/', 'http://rt');
    const path = url.pathname.replace('/REST/2.0', '');
    asked.push(path);
    const given = override(path);
    const {
      status,
      type = 'application/json',
      body = '{}',
    } = given ?? { status: 200, body: JSON.stringify(answer(path, url)) };
    const headers = {
      'content-type': `${type}; charset=utf-8`,
      date: new Date(now).toUTCString(),
      ...given?.headers,
    };
    response.writeHead(status, headers).end(body);
  });

  const answer = (path: string, { searchParams }: URL): object => {
    const [, what, id] = path.split('/');
    if (what === 'transactions') return { items: page(searchParams) };
    if (what === 'transaction') return { items: [{ id, ContentType: 'text/plain', Filename: '' }] };
    if (what === 'attachment') {
      const text = transactions().find((each) => String(each.id) === id)?.text ?? '';
      return { Content: Buffer.from(text).toString('base64') };
    }
    return { Name: 'ada', RealName: 'Ada Agent', Privileged: 1, _hyperlinks: [{ ref: 'self', id: 40 }] };
  };

  const page = (parameters: URLSearchParams): object[] => {
    const after = Number(/\bid > (\d+)/.exec(parameters.get('query') ?? '')?.[1] ?? 0);
    const sorted = transactions().toSorted((a, b) => a.id - b.id);
    if (parameters.get('order') === 'DESC') sorted.reverse();
    return sorted
      .filter(({ id }) => id > after)
      .slice(0, Number(parameters.get('per_page')))
      .map(({ id, type, value = '', ageMs = 0 }) => ({
        id: String(id),
        Type: type,
        NewValue: value,
        ObjectId: '3',
        Creator: { id: 'ada' },
        Created: new Date(now - ageMs).toISOString(),
      }));
  };

  const adapter = requestTracker({ url: served.url, token: `1-31-${'a'.repeat(32)}`, queue: 'Handoffs' });
  return { adapter, asked };
}
