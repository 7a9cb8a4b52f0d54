import { useEffect, useState } from 'preact/hooks';
import type { ConversationView, CustomerDetailsView } from '../../../api.js';
import { useDesk } from '../desk-context.js';
import { hrefOf } from '../route.js';
import { Time } from '../shared/elements.js';
import { formatTime, t } from '../strings/index.js';

/** The details of the customer: from the platform, from the application, and earlier conversations. */
export function CustomerDetails({ view }: { readonly view: ConversationView }) {
  const { summary, botId } = view;
  const { user } = summary;
  const known = useCustomer(summary.id);
  const rows: readonly (readonly [string, string | null, string?])[] = [
    [t('userId'), user.userId],
    [t('anonymousId'), user.anonymousId],
    [t('email'), user.email, t('emailHint')],
    [t('phone'), user.phone],
    ...(known?.attributes ?? []).map(({ name, value }) => [name, value] as const),
    [t('conversationId'), summary.conversationId],
    [t('botId'), botId],
    [t('requestedAt'), formatTime(summary.requestedAt)],
  ];
  // On a narrow screen the details are above the conversation and would hide it.
  const isWide = matchMedia('(min-width: 1001px)').matches;
  return (
    <aside class="details" aria-label={t('details')}>
      <details open={isWide}>
        <summary>{t('details')}</summary>
        <dl>
          {rows.map(([name, value, hint]) =>
            value ? (
              <div key={name}>
                <dt dir="auto">{name}</dt>
                <dd>
                  <bdi>{value}</bdi> {hint && <small>{hint}</small>}
                </dd>
              </div>
            ) : null,
          )}
        </dl>
        {known?.attributes === null && <p class="hint">{t('attributesFailed')}</p>}
        {known && known.history.length > 0 && <History history={known.history} />}
      </details>
    </aside>
  );
}

function History({ history }: Pick<CustomerDetailsView, 'history'>) {
  return (
    <section class="history">
      <h3>{t('history')}</h3>
      <ul>
        {history.map(({ id, requestedAt, last, state }) => (
          <li key={id}>
            <a href={hrefOf(id)}>
              <span class="facts">
                <Time at={requestedAt} />
                <span class={`state ${state}`}>{t(state)}</span>
              </span>
              <span dir="auto">{last?.text ?? '–'}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Loaded beside the conversation, which does not wait for the application. */
function useCustomer(id: string): CustomerDetailsView | null {
  const { client } = useDesk();
  const [known, setKnown] = useState<CustomerDetailsView | null>(null);
  useEffect(() => {
    let isOutdated = false;
    client.customer(id).then(
      (loaded) => {
        if (!isOutdated) setKnown(loaded);
      },
      () => undefined,
    );
    return () => {
      isOutdated = true;
    };
  }, [id]);
  return known;
}
