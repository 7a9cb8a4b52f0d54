import { useEffect, useState } from 'preact/hooks';
import type { TeachView } from '../../../api.js';
import { useAttempt, useDesk } from '../desk-context.js';
import { t } from '../strings/index.js';
import { Dialog } from './dialog.js';

interface TeachDialogProps {
  /** The messages of the customer, latest first. */
  readonly questions: readonly string[];
  readonly answer: string;
  /** The platform's agent to teach. */
  readonly aiAgent: string;
  readonly close: () => void;
}

/** Teaches the AI agent a question and its answer, after the agent has reviewed and edited them. */
export function TeachDialog({ questions, answer: given, aiAgent, close }: TeachDialogProps) {
  const { client, notify } = useDesk();
  const attempt = useAttempt();
  const [question, setQuestion] = useState(questions[0] ?? '');
  const [answer, setAnswer] = useState(given);
  const [known, setKnown] = useState<TeachView | null>(null);
  const [isSending, setSending] = useState(false);
  const load = () => attempt(async () => setKnown(await client.teaching(aiAgent)));
  useEffect(() => void load(), []);

  const send = async (): Promise<void> => {
    if (!known) return;
    setSending(true);
    const seen = known.pairs.length;
    const isTaught = await attempt(() =>
      client.teach({ question: question.trim(), answer: answer.trim(), seen, aiAgent }),
    );
    setSending(false);
    // Another agent may have changed the list: show the current one.
    if (!isTaught) return void load();
    notify(t('teachDone'));
    close();
  };

  const others = known?.pairs.filter((each) => each.question !== question.trim()) ?? [];
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
            {[...others, { question, answer }].map((each) => (
              <div key={each.question}>
                <dt dir="auto">{each.question}</dt>
                <dd dir="auto">{each.answer}</dd>
              </div>
            ))}
          </dl>
        </details>
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
