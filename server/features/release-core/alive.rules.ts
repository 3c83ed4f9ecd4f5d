import { newestAsk, trusteeNotice } from './facts.rules.ts';
import type { Answer, Ask, Request } from './model.rules.ts';

/* The answer "alive, but can't answer". */

/** The latest answer that the owner is alive, of the contact whom this question asks again. */
export function aliveBefore({ answers }: Request, { contactId, notice }: Pick<Ask, 'contactId' | 'notice'>) {
  return answers.findLast(
    (answer) => answer.contactId === contactId && answer.says === 'alive' && answer.notice < notice,
  );
}

/** Number of times that this contact has said in this request that the owner is alive. */
export function aliveCount({ answers }: Request, contactId: string): number {
  return answers.filter((answer) => answer.contactId === contactId && answer.says === 'alive').length;
}

/** Number of times that the contact who said it last has said in this request that the owner is alive. */
export function latestAliveCount(request: Request): number {
  const last = request.answers.findLast(({ says }) => says === 'alive');
  return last ? aliveCount(request, last.contactId) : 0;
}

/** The answer that the owner is alive, if it is the contact's answer to their newest question. */
export function aliveAnswer(request: Request, contactId: string): Answer | null {
  const ask = newestAsk(request, contactId);
  const notice = ask?.notice ?? trusteeNotice;
  const answer = request.answers.findLast((each) => each.contactId === contactId && each.notice === notice);
  return answer?.says === 'alive' && !answer.isVoid ? answer : null;
}
