import { useState } from 'preact/hooks';
import type { DeadLetterDetails, DeadLetterView } from '../../../api.js';
import { useAttempt, useDesk } from '../desk-context.js';
import { ConfirmDialog, Dialog } from '../shared/dialog.js';
import { formatTime, t } from '../strings/index.js';

/** Dead letters, which an agent can inspect, retry or discard. */
export function DeadLetters({
  dead,
  onChange,
}: {
  readonly dead: readonly DeadLetterView[];
  readonly onChange: () => void;
}) {
  return (
    <section class="dead card">
      <h3>{t('dead')}</h3>
      {dead.length === 0 && <p class="hint">{t('deadNone')}</p>}
      <ul>
        {dead.map((item) => (
          <DeadLetter key={`${item.queue} ${item.id}`} item={item} onChange={onChange} />
        ))}
      </ul>
    </section>
  );
}

function DeadLetter({ item, onChange }: { readonly item: DeadLetterView; readonly onChange: () => void }) {
  const { client } = useDesk();
  const attempt = useAttempt();
  const [details, setDetails] = useState<DeadLetterDetails | null>(null);
  const [isDiscarding, setDiscarding] = useState(false);
  const settle = async (how: 'retry' | 'discard'): Promise<void> => {
    if (await attempt(() => client.settleDeadLetter(item, how))) onChange();
  };

  return (
    <li>
      <p>
        <strong>{item.what}</strong> · {t(item.queue === 'inbox' ? 'queueInbox' : 'queueOutbox')} ·{' '}
        {item.conversationId} · {formatTime(item.createdAt)} · {t('deadAttempts', { count: item.attempts })}
      </p>
      {item.error && <p class="reason">{item.error}</p>}
      <div class="buttons">
        <button
          type="button"
          onClick={() => void attempt(async () => setDetails(await client.deadLetter(item)))}
        >
          {t('deadShow')}
        </button>
        <button type="button" onClick={() => void settle('retry')}>
          {t('deadRetry')}
        </button>
        <button type="button" onClick={() => setDiscarding(true)}>
          {t('deadDiscard')}
        </button>
      </div>
      {details && (
        <Dialog title={item.what} close={() => setDetails(null)}>
          <pre>{JSON.stringify(details.content, null, 2)}</pre>
          <form method="dialog" class="buttons">
            <button type="submit">{t('dismiss')}</button>
          </form>
        </Dialog>
      )}
      {isDiscarding && (
        <ConfirmDialog
          question={t('deadSure')}
          yes={t('deadDiscard')}
          onYes={() => void settle('discard')}
          close={() => setDiscarding(false)}
        />
      )}
    </li>
  );
}
