import { useState } from 'preact/hooks';
import type { CannedReply } from '../../../api.js';
import { useAttempt, useDesk, useDeskState } from '../desk-context.js';
import type { State } from '../state.js';
import { t } from '../strings/index.js';
import { Dialog } from './dialog.js';

const cannedOf = ({ canned }: State) => canned;

/** Inserts a canned reply, or opens the editor. */
export function CannedPicker({ insert }: { readonly insert: (text: string) => void }) {
  const canned = useDeskState(cannedOf);
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      <select
        aria-label={t('canned')}
        value=""
        onChange={({ currentTarget }) => {
          const { value } = currentTarget;
          currentTarget.value = '';
          if (value === 'edit') setEditing(true);
          else insert(canned[Number(value)]?.text ?? '');
        }}
      >
        <option value="" disabled>
          {t('canned')}
        </option>
        {canned.map(({ id, title }, index) => (
          <option key={id} value={index}>
            {title}
          </option>
        ))}
        <option value="edit">{t('cannedEdit')}</option>
      </select>
      {isEditing && <CannedEditor initial={canned} close={() => setEditing(false)} />}
    </>
  );
}

function CannedEditor({
  initial,
  close,
}: {
  readonly initial: readonly CannedReply[];
  readonly close: () => void;
}) {
  const { client, store, notify } = useDesk();
  const attempt = useAttempt();
  const [replies, setReplies] = useState(initial);
  const change = (id: string, more: Partial<CannedReply>): void =>
    setReplies((now) => now.map((reply) => (reply.id === id ? { ...reply, ...more } : reply)));
  const save = async (): Promise<void> => {
    const complete = replies.filter(({ title, text }) => title.trim() !== '' && text.trim() !== '');
    if (!(await attempt(() => client.saveCanned(complete)))) return;
    store.update((state) => ({ ...state, canned: complete }));
    notify(t('saved'));
    close();
  };

  return (
    <Dialog title={t('cannedEdit')} close={close}>
      {replies.length === 0 && <p class="hint">{t('cannedNone')}</p>}
      {replies.map(({ id, title, text }) => (
        <fieldset key={id}>
          <label>
            {t('cannedTitle')}
            <input
              dir="auto"
              value={title}
              onInput={({ currentTarget }) => change(id, { title: currentTarget.value })}
            />
          </label>
          <label>
            {t('cannedText')}
            <textarea
              rows={2}
              dir="auto"
              value={text}
              onInput={({ currentTarget }) => change(id, { text: currentTarget.value })}
            />
          </label>
          <button
            type="button"
            class="quiet"
            onClick={() => setReplies((now) => now.filter((reply) => reply.id !== id))}
          >
            {t('remove')}
          </button>
        </fieldset>
      ))}
      <div class="buttons">
        <button
          type="button"
          onClick={() => setReplies((now) => [...now, { id: crypto.randomUUID(), title: '', text: '' }])}
        >
          {t('cannedAdd')}
        </button>
        <button type="button" onClick={close}>
          {t('cancel')}
        </button>
        <button type="button" class="primary" onClick={() => void save()}>
          {t('save')}
        </button>
      </div>
    </Dialog>
  );
}
