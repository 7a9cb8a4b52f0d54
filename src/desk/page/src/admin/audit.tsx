import { useEffect, useState } from 'preact/hooks';
import type { AuditEntryView, AuditPage } from '../../../api.js';
import { useAttempt, useDesk } from '../desk-context.js';
import { Time } from '../shared/elements.js';
import { a } from '../strings/admin.js';

interface Query {
  readonly search: string;
  /** Dates as the fields have them, in the time zone of the browser. */
  readonly since: string;
  readonly until: string;
}

export function AdminAudit() {
  const { client } = useDesk();
  const attempt = useAttempt();
  const [query, setQuery] = useState<Query>({ search: '', since: '', until: '' });
  const [entries, setEntries] = useState<readonly AuditEntryView[]>([]);
  const [hasMore, setHasMore] = useState(false);
  const load = (before?: number) =>
    attempt(async () => {
      const path = `api/admin/audit?${parametersOf(query, before === undefined ? {} : { before: `${before}` })}`;
      const page = await client.call<AuditPage>('GET', path);
      setEntries((now) => (before === undefined ? page.entries : [...now, ...page.entries]));
      setHasMore(page.more);
    });
  useEffect(() => void load(), []);
  const change = (more: Partial<Query>): void => setQuery({ ...query, ...more });
  const last = entries.at(-1);

  return (
    <section>
      <h3>{a('audit')}</h3>
      <form
        class="query"
        onSubmit={(event) => {
          event.preventDefault();
          void load();
        }}
      >
        <label>
          {a('search')}
          <input
            type="search"
            value={query.search}
            onInput={({ currentTarget }) => change({ search: currentTarget.value })}
          />
        </label>
        {(['since', 'until'] as const).map((name) => (
          <label key={name}>
            {a(name)}
            <input
              type="date"
              value={query[name]}
              onInput={({ currentTarget }) => change({ [name]: currentTarget.value })}
            />
          </label>
        ))}
        <button type="submit">{a('search')}</button>
      </form>
      <p class="buttons">
        <a download href={`api/admin/audit/export?${parametersOf(query, { format: 'csv' })}`}>
          {a('exportCsv')}
        </a>
        <a download href={`api/admin/audit/export?${parametersOf(query, { format: 'jsonl' })}`}>
          {a('exportJson')}
        </a>
      </p>
      {entries.length === 0 && <p class="hint">{a('none')}</p>}
      <table aria-label={a('audit')}>
        <thead>
          <tr>
            <th scope="col">{a('time')}</th>
            <th scope="col">{a('who')}</th>
            <th scope="col">{a('where')}</th>
            <th scope="col">{a('what')}</th>
            <th scope="col">{a('change')}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(({ seq, at, agent, from, action, conversationId, detail, before, after }) => (
            <tr key={seq}>
              <td>
                <Time at={at} />
              </td>
              <td>{agent ?? '–'}</td>
              <td>{from ?? '–'}</td>
              <td>{[action, detail, conversationId].filter(Boolean).join(' · ')}</td>
              <td>{changeOf(before, after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {hasMore && last && (
        <button type="button" onClick={() => void load(last.seq)}>
          {a('older')}
        </button>
      )}
    </section>
  );
}

type Fields = AuditEntryView['before'];

const changeOf = (before: Fields, after: Fields): string =>
  [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
    .map((name) => `${name}: ${shownValue(before?.[name])} → ${shownValue(after?.[name])}`)
    .join('; ');

const shownValue = (value: unknown): string =>
  value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value);

const DAY_MS = 86_400_000;

/** The parameters of a query. The last day is included. */
function parametersOf({ search, since, until }: Query, more: Record<string, string>): string {
  const timeOf = (date: string): number => new Date(`${date}T00:00`).getTime();
  return new URLSearchParams({
    ...(search && { search }),
    ...(since && { since: `${timeOf(since)}` }),
    ...(until && { until: `${timeOf(until) + DAY_MS}` }),
    ...more,
  }).toString();
}
