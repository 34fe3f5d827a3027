/** Every prompt stands on the terminal in the same way, and is left in the same ways. */
import type { CommandContext } from './context.ts';
import { QuestionLeft } from './errors.ts';
import { type Bilingual, both } from './language.ts';

/** What a prompt of @clack/prompts is told of the terminal it stands on. */
export interface PromptPlace {
  readonly output: CommandContext['host']['stderr'];
  readonly signal: AbortSignal;
}

/** What a prompt says of an answer as it is typed in, before it takes it. */
export function complaintOf(
  context: Pick<CommandContext, 'say'>,
  check: ((typed: string) => Bilingual | undefined) | undefined,
): (typed: string | undefined) => string | undefined {
  return (typed) => {
    const complaint = check?.(typed ?? '');
    return complaint === undefined ? undefined : context.say(complaint);
  };
}

/** What is wrong with an answer of nothing, which no server takes. */
export function emptyComplaint(typed: string): Bilingual | undefined {
  return typed.trim() === '' ? both('an answer is needed', '不能为空') : undefined;
}

/**
 * Asks on standard error. Besides by its own keys the prompt is left at a signal and at the end of the input (Ctrl-D),
 * behind which it would wait for ever. Throws exit 130 where it is left.
 *
 * @param ask a prompt of @clack/prompts, which answers with a symbol when it is left
 */
export async function prompted<Answer>(
  { host, signal }: Pick<CommandContext, 'host' | 'signal'>,
  ask: (place: PromptPlace) => Promise<Answer>,
): Promise<Exclude<Answer, symbol>> {
  const left = new AbortController();
  const leave = () => left.abort();
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  let isBack = false;
  const back = () => {
    isBack = true;
  };
  let ending: NodeJS.Immediate | undefined;
  // Readline pauses its input at its end, and behind Ctrl-Z, where nobody but us goes on with it.
  const paused = () => {
    if (isBack) {
      isBack = false;
      host.stdin.resume();
    } else {
      ending = setImmediate(leave);
    }
  };
  process.on('SIGCONT', back);
  host.stdin.on('pause', paused);
  try {
    const answer = await ask({ output: host.stderr, signal: left.signal });
    if (isAnswer(answer)) return answer;
    throw new QuestionLeft();
  } finally {
    // An answer pauses the input as well: leaving a prompt that is over would take the terminal from the next one.
    clearImmediate(ending);
    process.off('SIGCONT', back);
    host.stdin.off('pause', paused);
    signal.removeEventListener('abort', leave);
  }
}

/** Asks for a yes or a no, in the language of the question. Throws exit 130 where the prompt was left. */
export async function askYesOrNo(
  context: Pick<CommandContext, 'host' | 'signal' | 'say'>,
  question: Bilingual,
  { initial }: { readonly initial: 'yes' | 'no' },
): Promise<boolean> {
  const { confirm } = await import('@clack/prompts');
  return prompted(context, (place) =>
    confirm({
      message: context.say(question),
      active: context.say(both('Yes', '是')),
      inactive: context.say(both('No', '否')),
      initialValue: initial === 'yes',
      ...place,
    }),
  );
}

function isAnswer<Answer>(answer: Answer): answer is Exclude<Answer, symbol> {
  return typeof answer !== 'symbol';
}
