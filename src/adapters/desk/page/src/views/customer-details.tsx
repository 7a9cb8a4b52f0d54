import type { ConversationView } from '../../../api.js';
import { formatTime, t } from '../strings/index.js';

/** The details of the customer. */
export function CustomerDetails({ view }: { readonly view: ConversationView }) {
  const { summary, botId } = view;
  const { user } = summary;
  const rows: readonly (readonly [string, string | null, string?])[] = [
    [t('userId'), user.userId],
    [t('anonymousId'), user.anonymousId],
    [t('email'), user.email, t('emailHint')],
    [t('phone'), user.phone],
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
                <dt>{name}</dt>
                <dd>
                  <bdi>{value}</bdi> {hint && <small>{hint}</small>}
                </dd>
              </div>
            ) : null,
          )}
        </dl>
      </details>
    </aside>
  );
}
