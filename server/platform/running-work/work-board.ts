/** Numbers at the beginning of the board: the beats of the event loop, and the slot of the work that ran last. */
const headNumbers = 2;
const beatAt = 0;
const latestAt = 1;
const noSlot = -1;
const numberBytes = Int32Array.BYTES_PER_ELEMENT;
/** Number of requests and tasks whose names fit on the board. Further ones run without a name there. */
const slots = 64;
const nameBytesMax = 124;
const slotBytes = numberBytes + nameBytesMax;
const boardBytes = headNumbers * numberBytes + slots * slotBytes;

export type WorkBoard = {
  buffer: SharedArrayBuffer;
  /** Counts one turn of the event loop, which shows that the loop is not blocked. */
  beat(): void;
  /** Puts the name of a request or task on the board and returns its slot. Null if the board is full. */
  enter(name: string): number | null;
  /** Records that this request or task runs now. */
  mark(slot: number | null): void;
  /** Removes the name and frees its slot. */
  leave(slot: number | null): void;
};

/** `latest`: name of the work that ran last. Null if it has ended. */
export type BoardReading = { beats: number; latest: string | null; open: string[] };

/** Names of running requests and tasks in shared memory, which another thread can read while the event loop hangs. */
export function createWorkBoard(): WorkBoard {
  const buffer = new SharedArrayBuffer(boardBytes);
  const head = new Int32Array(buffer, 0, headNumbers);
  const encoder = new TextEncoder();
  const free = Array.from({ length: slots }, (_, slot) => slot);
  head[latestAt] = noSlot;

  return {
    buffer,
    beat: () => void Atomics.add(head, beatAt, 1),
    enter(name) {
      const slot = free.pop();
      if (slot === undefined) return null;
      const { written } = encoder.encodeInto(name, nameOf(buffer, slot));
      Atomics.store(lengthOf(buffer, slot), 0, written);
      Atomics.store(head, latestAt, slot);
      return slot;
    },
    mark(slot) {
      if (slot !== null) Atomics.store(head, latestAt, slot);
    },
    leave(slot) {
      if (slot === null) return;
      Atomics.store(lengthOf(buffer, slot), 0, 0);
      free.push(slot);
    },
  };
}

/** Reads the board from any thread. */
export function readBoard(buffer: SharedArrayBuffer): BoardReading {
  const head = new Int32Array(buffer, 0, headNumbers);
  const names = Array.from({ length: slots }, (_, slot) => readName(buffer, slot));
  const latest = Atomics.load(head, latestAt);
  return {
    beats: Atomics.load(head, beatAt),
    latest: names[latest] ?? null,
    open: names.filter((name) => name !== null),
  };
}

function readName(buffer: SharedArrayBuffer, slot: number): string | null {
  const length = Atomics.load(lengthOf(buffer, slot), 0);
  // A decoder accepts no shared memory.
  return length === 0 ? null : new TextDecoder().decode(Uint8Array.from(nameOf(buffer, slot).subarray(0, length)));
}

function lengthOf(buffer: SharedArrayBuffer, slot: number): Int32Array {
  return new Int32Array(buffer, headNumbers * numberBytes + slot * slotBytes, 1);
}

function nameOf(buffer: SharedArrayBuffer, slot: number): Uint8Array {
  return new Uint8Array(buffer, headNumbers * numberBytes + slot * slotBytes + numberBytes, nameBytesMax);
}
