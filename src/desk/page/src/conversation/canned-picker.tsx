import { useEffect, useState } from 'preact/hooks';
import type { CannedList, CannedReply } from '../../../api.js';
import { useAttempt, useDesk, useDeskState, useMay } from '../desk-context.js';
import { Dialog } from '../shared/dialog.js';
import { Menu } from '../shared/menu.js';
import type { State } from '../state.js';
import { t } from '../strings/index.js';

const cannedOf = ({ canned }: State) => canned;

/** The key of the item that opens the editor; ids of canned replies are not empty. */
const EDIT = '';

/** Inserts a canned reply, or opens the editor. */
export function CannedPicker({ insert }: { readonly insert: (text: string) => void }) {
  const canned = useDeskState(cannedOf);
  const mayEdit = useMay('editCanned');
  const [isEditing, setEditing] = useState(false);
  return (
    <>
      <Menu
        label={t('canned')}
        items={[
          ...canned.replies.map(({ id, title }) => ({ key: id, label: title })),
          ...(mayEdit ? [{ key: EDIT, label: t('cannedEdit') }] : []),
        ]}
        choose={(key) => {
          if (key === EDIT) setEditing(true);
          else insert(canned.replies.find(({ id }) => id === key)?.text ?? '');
        }}
      />
      {isEditing && <CannedEditor initial={canned} close={() => setEditing(false)} />}
    </>
  );
}

export function CannedEditor({
  initial,
  close,
}: {
  readonly initial: CannedList;
  readonly close: () => void;
}) {
  const { client, store, notify } = useDesk();
  const attempt = useAttempt();
  const [{ replies, version }, setList] = useState(initial);
  const setReplies = (edit: (now: readonly CannedReply[]) => readonly CannedReply[]): void =>
    setList((now) => ({ ...now, replies: edit(now.replies) }));

  // Another agent may have changed them since the page was loaded. What was edited meanwhile stays: if it is not based on
  // the newest list, the desk refuses it.
  useEffect(() => {
    void attempt(async () => {
      const newest = await client.canned();
      setList((now) => (now === initial ? newest : now));
    });
  }, []);

  const change = (id: string, more: Partial<CannedReply>): void =>
    setReplies((now) => now.map((reply) => (reply.id === id ? { ...reply, ...more } : reply)));
  const save = async (): Promise<void> => {
    const complete = replies.filter(({ title, text }) => title.trim() !== '' && text.trim() !== '');
    const saveList = async (): Promise<void> => {
      const canned = await client.saveCanned({ replies: complete, version });
      store.update((state) => ({ ...state, canned }));
    };
    if (!(await attempt(saveList))) return;
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
