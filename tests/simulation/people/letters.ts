import type { Principal } from '#server/features/accounts/principal.ts';
import { createMessage, deleteMessage, updateMessage } from '#server/features/messages/messages.ts';
import type { Process } from '#tests/simulation/machine.ts';
import { happens, type Scenario } from '#tests/simulation/scenario.ts';
import type { LetterNote, nowhere, OwnerNotes } from './notes.ts';

type Writer = OwnerNotes & { principal: Principal };
type Call = { principal: Principal; origin: typeof nowhere };

/** Letters that owners write, rewrite and delete. Each resolves when they are answered. */
export function createLetterActs(callOf: (owner: Writer) => Call, scenario: Scenario) {
  let written = 0;

  /** Many owners write several letters to one recipient. */
  function knownReader({ letters }: Writer, lot: number): string | null {
    return happens(scenario, 'letters together') && lot % 3 === 2 ? (letters[0]?.recipient ?? null) : null;
  }

  async function write({ app }: Process, owner: Writer, lot: number): Promise<void> {
    written += 1;
    const number = written;
    const status = lot % 4 === 0 ? 'draft' : 'ready';
    const note: LetterNote = {
      id: null,
      recipient: knownReader(owner, lot) ?? `reader${number}.${owner.plan.name}@family.example`,
      ...wordsOf(owner, number),
      status: 'unsure',
      isVisible: lot % 3 !== 0,
    };
    owner.letters.push(note);
    const { id } = await createMessage(app, { ...callOf(owner), body: inputOf(note, status) });
    Object.assign(note, { id, status });
  }

  async function rewrite({ app }: Process, owner: Writer, act: { lot: number; isReady: boolean }): Promise<boolean> {
    const letter = choose(
      owner.letters.filter(({ id, status }) => id && status !== 'deleted'),
      act.lot,
    );
    if (!letter?.id) return false;
    written += 1;
    const status = act.isReady ? 'ready' : act.lot % 5 === 0 ? 'draft' : 'ready';
    // For its recipient, a new version is a new letter.
    const next: LetterNote = { ...letter, ...wordsOf(owner, written), status: 'unsure' };
    owner.letters.push(next);
    const before = letter.status;
    letter.status = 'unsure';
    try {
      const params = { id: letter.id };
      await updateMessage(app, { ...callOf(owner), params, body: inputOf(next, status) });
      next.status = status;
      letter.status = 'deleted';
      return true;
    } catch (error) {
      letter.status = before;
      next.status = 'deleted';
      throw error;
    }
  }

  async function remove({ app }: Process, owner: Writer, lot: number): Promise<boolean> {
    const letter = choose(
      owner.letters.filter(({ id, status }) => id && status !== 'deleted'),
      lot,
    );
    if (!letter?.id) return false;
    const before = letter.status;
    letter.status = 'unsure';
    try {
      await deleteMessage(app, { ...callOf(owner), params: { id: letter.id }, query: {} });
      letter.status = 'deleted';
      return true;
    } catch (error) {
      letter.status = before;
      throw error;
    }
  }

  return { write, rewrite, remove };
}

export function choose<Item>(items: readonly Item[], lot: number): Item | undefined {
  return items[lot % Math.max(1, items.length)];
}

/** Titles are unique, so that a reader identifies a letter. */
function wordsOf({ plan }: Writer, number: number): Pick<LetterNote, 'title' | 'text'> {
  return { title: `Letter ${number}`, text: `Words ${number} of ${plan.name}.` };
}

function inputOf({ recipient, title, text, isVisible }: LetterNote, status: 'draft' | 'ready') {
  return {
    title,
    content: text,
    recipientEmail: recipient,
    category: 'personal' as const,
    status,
    visibleToTrustedContact: isVisible,
  };
}
