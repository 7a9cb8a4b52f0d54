import { useEffect, useState } from 'preact/hooks';
import type { ConversationView, CustomerDetailsView } from '../../../api.js';
import { useAttempt, useDesk } from '../desk-context.js';
import { hrefOf } from '../route.js';
import { Time } from '../shared/elements.js';
import { Icon } from '../shared/icon.js';
import { formatTime, t } from '../strings/index.js';

/** The details of the customer: from the platform, from the application, and earlier conversations. */
export function CustomerDetails({ view }: { readonly view: ConversationView }) {
  const { summary, botId } = view;
  const { user } = summary;
  const known = useCustomer(summary.id);
  // On a narrow screen the details are above the conversation and would hide it.
  const isWide = matchMedia('(min-width: 1001px)').matches;
  return (
    <aside class="details" aria-label={t('details')}>
      <details open={isWide}>
        <summary>
          <Icon name="chevron-right" />
          {t('details')}
        </summary>
        <dl>
          <CopyRow name={t('userId')} value={user.userId} />
          <CopyRow name={t('email')} value={user.email} />
          <CopyRow name={t('phone')} value={user.phone} />
          {known?.attributes?.map(({ name, value }) => (
            <Row key={name} name={name} value={value} />
          ))}
          <Row name={t('requestedAt')} value={formatTime(summary.requestedAt)} />
          <CopyRow name={t('anonymousId')} value={user.anonymousId} />
          <CopyRow name={t('conversationId')} value={summary.conversationId} />
          <CopyRow name={t('botId')} value={botId} />
        </dl>
        {known?.attributes === null && <p class="hint">{t('attributesFailed')}</p>}
        {known && known.history.length > 0 && <History history={known.history} />}
      </details>
    </aside>
  );
}

function Row({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt dir="auto">{name}</dt>
      <dd>
        <bdi>{value}</bdi>
      </dd>
    </div>
  );
}

/** A value on one line, with a button that copies it. */
function CopyRow({ name, value }: { readonly name: string; readonly value: string | null }) {
  const { notify } = useDesk();
  const attempt = useAttempt();
  if (!value) return null;
  const copy = async (): Promise<void> => {
    if (await attempt(() => navigator.clipboard.writeText(value))) notify(t('copied'));
  };
  return (
    <div class="copyable">
      <dt>{name}</dt>
      <dd>
        <bdi title={value}>{value}</bdi>
        {/* Browsers have no clipboard for pages without HTTPS. */}
        {isSecureContext && (
          <button
            type="button"
            class="icon-only"
            aria-label={t('copy', { name })}
            onClick={() => void copy()}
          >
            <Icon name="copy" />
          </button>
        )}
      </dd>
    </div>
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
