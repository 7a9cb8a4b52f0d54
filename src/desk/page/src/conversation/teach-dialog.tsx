import { useEffect, useState } from 'preact/hooks';
import type { QaPair, TeachView } from '../../../api.js';
import { useAttempt, useDesk } from '../desk-context.js';
import { ConfirmDialog, Dialog } from '../shared/dialog.js';
import { t } from '../strings/index.js';

interface TeachDialogProps {
  /** The messages of the customer, latest first. */
  readonly questions: readonly string[];
  readonly answer: string;
  /** The bot to teach. */
  readonly bot: string;
  readonly close: () => void;
}

/** Teaches the bot a question and its answer, after the agent has reviewed and edited them. */
export function TeachDialog({ questions, answer: given, bot, close }: TeachDialogProps) {
  const { client, notify } = useDesk();
  const attempt = useAttempt();
  const [question, setQuestion] = useState(questions[0] ?? '');
  const [answer, setAnswer] = useState(given);
  const [forgetting, setForgetting] = useState<QaPair | null>(null);
  const [instead, setInstead] = useState<string | undefined>(undefined);
  const [known, setKnown] = useState<TeachView | null>(null);
  const [isSending, setSending] = useState(false);
  const load = () => attempt(async () => setKnown(await client.teaching(bot)));
  useEffect(() => void load(), []);

  const send = async (): Promise<void> => {
    if (!known) return;
    setSending(true);
    const seen = known.pairs.length;
    const isTaught = await attempt(() =>
      client.teach({ question: question.trim(), answer: answer.trim(), instead, seen, bot }),
    );
    setSending(false);
    // Another agent may have changed the list: show the current one.
    if (!isTaught) return void load();
    notify(t('teachDone'));
    close();
  };

  const remove = async (pair: QaPair): Promise<void> => {
    if (!known) return;
    const request = { question: pair.question, seen: known.pairs.length, bot };
    const isGone = await attempt(async () => setKnown(await client.unteach(request)));
    if (!isGone) void load();
  };
  const edit = (pair: QaPair): void => {
    setInstead(pair.question);
    setQuestion(pair.question);
    setAnswer(pair.answer);
  };

  const others =
    known?.pairs.filter((each) => each.question !== question.trim() && each.question !== instead) ?? [];
  const isEmpty = question.trim() === '' || answer.trim() === '';
  return (
    <Dialog title={t('teachTitle')} close={close}>
      {questions.length > 1 && (
        <label>
          {t('teachPickQuestion')}
          <select value={question} onChange={({ currentTarget }) => setQuestion(currentTarget.value)}>
            {questions.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        {t('teachQuestion')}
        <textarea
          rows={2}
          dir="auto"
          value={question}
          onInput={({ currentTarget }) => setQuestion(currentTarget.value)}
        />
      </label>
      <label>
        {t('teachAnswer')}
        <textarea
          rows={4}
          dir="auto"
          value={answer}
          onInput={({ currentTarget }) => setAnswer(currentTarget.value)}
        />
      </label>
      {known && <p>{known.document ? t('teachWhat', { count: others.length + 1 }) : t('teachFirst')}</p>}
      {others.length > 0 && (
        <details>
          <summary>{t('teachSee')}</summary>
          <dl class="pairs">
            {others.map((each) => (
              <div key={each.question}>
                <dt dir="auto">{each.question}</dt>
                <dd dir="auto">
                  {each.answer}{' '}
                  <button type="button" class="quiet" onClick={() => edit(each)}>
                    {t('teachEdit')}
                  </button>
                  <button type="button" class="quiet" onClick={() => setForgetting(each)}>
                    {t('remove')}
                  </button>
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
      {forgetting && (
        <ConfirmDialog
          question={t('teachForget', { question: forgetting.question })}
          yes={t('remove')}
          onYes={() => void remove(forgetting)}
          close={() => setForgetting(null)}
        />
      )}
      <div class="buttons">
        <button type="button" onClick={close}>
          {t('cancel')}
        </button>
        <button
          type="button"
          class="primary"
          disabled={!known || isEmpty || isSending}
          onClick={() => void send()}
        >
          {t('teachSend')}
        </button>
      </div>
    </Dialog>
  );
}
