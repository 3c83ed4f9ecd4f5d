import { describe, expect, it } from 'vitest';
import { beginWork } from '#server/platform/running-work/running-work.ts';
import { createSlots, type Give, type Slots } from './slots.ts';

class Full extends Error {}

const full = () => new Full();
const settled = () => new Promise(setImmediate);
const as = <Result>(sender: string, act: () => Result): Result => beginWork('test', { sender }).run(act);

/** Takes a slot for a sender, and notes its name in `order` when the slot is there. */
function noting(slots: Slots) {
  const order: string[] = [];
  const gives: Give[] = [];
  const take = (sender: string, signal?: AbortSignal) => {
    const given = as(sender, () => slots.take(signal)).then((give) => {
      order.push(sender);
      gives.push(give);
    });
    // Each test looks at the refusals that it expects.
    given.catch(() => undefined);
    return given;
  };
  const giveAll = async () => {
    for (let give = gives.shift(); give; give = gives.shift()) {
      give();
      await settled();
    }
  };
  return { order, take, giveAll };
}

describe('slots', () => {
  it('let a second sender wait for one job, however many the first has sent', async () => {
    const { order, take, giveAll } = noting(createSlots({ slotsMax: 1, waitingMax: 100, full }));
    for (let sent = 0; sent < 50; sent += 1) void take('many');
    void take('one');
    void take('one');
    await settled();
    await giveAll();
    expect(order.slice(0, 6)).toEqual(['many', 'many', 'one', 'many', 'one', 'many']);
    expect(order).toHaveLength(52);
  });

  it('that are full refuse the last of the longest line, and not another sender', async () => {
    const { order, take, giveAll } = noting(createSlots({ slotsMax: 1, waitingMax: 3, full }));
    const many = [take('many'), take('many'), take('many'), take('many')];
    await expect(take('many'), 'beyond its own line').rejects.toThrow(Full);
    const one = take('one');
    await expect(many[3], 'the last of the longest line').rejects.toThrow(Full);
    await settled();
    await giveAll();
    await one;
    expect(order).toEqual(['many', 'many', 'one', 'many']);
  });

  it('that are full of senders with one job each refuse the newcomer', async () => {
    const { order, take, giveAll } = noting(createSlots({ slotsMax: 1, waitingMax: 2, full }));
    void take('a');
    void take('b');
    void take('c');
    await expect(take('d')).rejects.toThrow(Full);
    await settled();
    await giveAll();
    expect(order).toEqual(['a', 'b', 'c']);
  });

  it('keep the rest for others if a sender has its share, but not from the service itself', async () => {
    const slots = createSlots({ slotsMax: 4, shareMax: 2, waitingMax: 10, full });
    const { order, take, giveAll } = noting(slots);
    for (let sent = 0; sent < 4; sent += 1) void take('many');
    await settled();
    expect(order).toEqual(['many', 'many']);
    void take('one');
    await settled();
    expect(order).toEqual(['many', 'many', 'one']);
    const own = slots.takeFree();
    expect(own).not.toBeNull();
    own?.();
    await giveAll();
    expect(order.filter((sender) => sender === 'many')).toHaveLength(4);
    const all = [1, 2, 3, 4].map(() => slots.takeFree());
    expect(all.every(Boolean)).toBe(true);
  });

  it('forget a job whose caller left', async () => {
    const { order, take, giveAll } = noting(createSlots({ slotsMax: 1, waitingMax: 1, full }));
    const left = new AbortController();
    void take('a');
    const waiting = take('b', left.signal);
    left.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    void take('c');
    await settled();
    await giveAll();
    expect(order).toEqual(['a', 'c']);
  });
});
