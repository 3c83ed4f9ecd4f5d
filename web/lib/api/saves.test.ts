import { describe, expect, it } from 'vitest';
import { ApiError } from './api.ts';
import { createSaves, failureWords, isUncertain, storedIn, unclearWords } from './saves.ts';

type Letter = { version: string; words: string };
const first: Letter = { version: 'one', words: 'Dear' };

const unclear = () => new ApiError(unclearWords, { status: 200, isUnclear: true });
const refused = () => new ApiError('Required', { status: 400, type: 'VALIDATION' });

/** A service whose answers can be lost after it has stored the words, or before. */
function startService(stored?: Letter) {
  const service = { stored, created: '', keys: [] as string[], lose: 'nothing' as 'nothing' | 'answer' | 'request' };
  const send = (words: string) => async (base: Letter | undefined, key: string) => {
    service.keys.push(key);
    if (service.lose === 'request') throw unclear();
    const isRepeat = service.stored?.version === key || service.created === key;
    if (!isRepeat) {
      if (service.stored?.version !== base?.version) {
        throw new ApiError('Changed', { status: 409, type: 'CHANGED_ELSEWHERE', stored: service.stored });
      }
      if (!service.stored) service.created = key;
      service.stored = { version: key, words };
    }
    if (service.lose === 'answer') throw unclear();
    return service.stored as Letter;
  };
  return { service, send };
}

describe('saves of a form', () => {
  it('name the version before, each with a key of its own', async () => {
    const { service, send } = startService(first);
    const saves = createSaves(first);
    await saves.save('a', send('a'));
    await saves.save('b', send('b'));
    expect(service.stored?.words).toBe('b');
    expect(new Set(service.keys).size).toBe(2);
  });

  it.each(['answer', 'request'] as const)('are repeated under their key if the %s was lost', async (lost) => {
    const { service, send } = startService(first);
    const saves = createSaves(first);
    service.lose = lost;
    await expect(saves.save('a', send('a'))).rejects.toThrow(unclearWords);
    service.lose = 'nothing';
    expect(await saves.save('a', send('a'))).toMatchObject({ words: 'a' });
    expect(service.keys).toHaveLength(2);
    expect(new Set(service.keys).size).toBe(1);
  });

  it('create an item once, and then save the words that changed since the lost answer', async () => {
    const { service, send } = startService();
    const saves = createSaves<Letter>(undefined);
    service.lose = 'answer';
    await expect(saves.save('a', send('a'))).rejects.toThrow(unclearWords);
    service.lose = 'nothing';
    expect(await saves.save('b', send('b'))).toMatchObject({ words: 'b' });
    const [lost, repeated, changed] = service.keys;
    expect([repeated === lost, changed === lost, service.keys.length]).toEqual([true, false, 3]);
  });

  it('are refused if another device changed the created item after the lost answer', async () => {
    const { service, send } = startService();
    const saves = createSaves<Letter>(undefined);
    service.lose = 'answer';
    await expect(saves.save('a', send('a'))).rejects.toThrow(unclearWords);
    service.lose = 'nothing';
    service.stored = { version: 'two', words: 'a, by laptop' };
    const later = saves.save('b', send('b'));
    await expect(later).rejects.toMatchObject({ type: 'CHANGED_ELSEWHERE', stored: { words: 'a, by laptop' } });
    await expect(saves.save('b', send('b'))).rejects.toMatchObject({ type: 'CHANGED_ELSEWHERE' });
    expect(service.stored.words).toBe('a, by laptop');
  });

  it('get a new key after a refusal', async () => {
    const { service, send } = startService(first);
    const saves = createSaves(first);
    const keys: string[] = [];
    const refuse = async (_: Letter | undefined, key: string): Promise<Letter> => {
      keys.push(key);
      throw refused();
    };
    await expect(saves.save('a', refuse)).rejects.toThrow('Required');
    await saves.save('a', send('a'));
    expect(service.keys).not.toContain(keys[0]);
  });

  it('go on from the stored version after its owner has read it', async () => {
    const { send } = startService({ version: 'two', words: 'by phone' });
    const saves = createSaves(first);
    const error = await saves.save('a', send('a')).catch((thrown: unknown) => thrown);
    const stored = storedIn<Letter>(error);
    expect(stored).toEqual({ version: 'two', words: 'by phone' });
    if (stored) saves.rebase(stored);
    expect(await saves.save('a', send('a'))).toMatchObject({ words: 'a' });
  });

  it('name the version that a restored draft was made from', async () => {
    const { send } = startService({ version: 'two', words: 'by phone' });
    const saves = createSaves({ version: 'two', words: 'by phone' });
    await expect(saves.save('a', send('a'), 'one')).rejects.toMatchObject({ type: 'CHANGED_ELSEWHERE' });
  });
});

describe('a failed save', () => {
  it.each([
    ['no answer', new ApiError('Not reached.', { status: 0 }), true],
    ['the page of a proxy', unclear(), true],
    ['502 of a proxy', new ApiError('Bad Gateway', { status: 502 }), true],
    ['503 of the service', new ApiError('Busy.', { status: 503, type: 'UNAVAILABLE' }), false],
    ['413 of a proxy', new ApiError('Too Large', { status: 413 }), false],
    ['a refusal', refused(), false],
    ['a fault of the page', new Error('Broken'), false],
  ])('with %s: it is known if the words may be stored', (_, error, isUnsure) => {
    expect(isUncertain(error)).toBe(isUnsure);
  });

  it.each([
    [unclear(), unclearWords],
    [new ApiError('Bad Gateway', { status: 502 }), unclearWords],
    [
      new ApiError('Content Too Large', { status: 413 }),
      'This is more than the network between you and Everkept lets through. What you typed is still here.',
    ],
    [refused(), 'Required What you typed is still here.'],
  ])('tells its person: %s', (error, words) => {
    expect(failureWords(error)).toBe(words);
  });
});
