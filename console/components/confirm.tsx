/** Asks before an act (console.md 1.4, 7.11): `if (await confirm({ kind: 'danger', title, text, verb })) …`. */
import { type ReactNode, Suspense, useEffect } from 'react';
import { lazyLate } from '../session/late-code.ts';
import { Store, useStore } from '../session/store.ts';
import { randomId } from './random-id.ts';

export interface ConfirmRequest {
  /** `danger` keeps the focus on Cancel; `typed` moreover wants `typed` to be repeated exactly. */
  readonly kind: 'plain' | 'danger' | 'typed';
  /** Names the object, and the count where there are several. */
  readonly title: string;
  readonly text?: ReactNode;
  /** The button's label: the act itself, such as "Delete 3 channels". */
  readonly verb: string;
  readonly typed?: string;
  /** Of the field that it is typed into, where it has words of its own. */
  readonly typedLabel?: string;
  /** A third way: what it does comes before the act, and makes it harmless. */
  readonly otherwise?: { readonly verb: string; readonly act: () => void };
}

export interface PendingQuestion extends ConfirmRequest {
  readonly id: string;
  readonly answer: (isYes: boolean) => void;
}

/** Questions that wait; the first one is on screen. */
const questions = new Store<readonly PendingQuestion[]>([]);

/** True once the user pressed the button that is called like the act; Esc and Cancel are false. */
export function confirm(request: ConfirmRequest): Promise<boolean> {
  return new Promise((resolve) => {
    const id = randomId();
    const answer = (isYes: boolean) => {
      questions.set(questions.get().filter((question) => question.id !== id));
      resolve(isYes);
    };
    questions.set([...questions.get(), { ...request, id, answer }]);
  });
}

const ConfirmDialog = lazyLate(() =>
  import('./confirm-dialog.tsx').then((module) => ({ default: module.ConfirmDialog })),
);

/** Who asked has gone, as when the session was lost: a question that stayed would stand before every later one. */
function refuseAll(): void {
  for (const question of questions.get()) question.answer(false);
}

/** Where the questions appear; mounted once around the pages. */
export function ConfirmHost() {
  useEffect(() => refuseAll, []);
  const [question] = useStore(questions);
  return <Suspense fallback={null}>{question && <ConfirmDialog key={question.id} question={question} />}</Suspense>;
}
