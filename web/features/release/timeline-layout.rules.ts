/**
 * Where the words stand along the drawn line of time. The line is a ruler to scale, so the dots can't move; their labels
 * can: above or below, beside the stem on its left or right, nearer or farther. All lengths are CSS pixels.
 */
export type LabelBox = {
  /** Place of the dot along the line, 0 to 100. */
  x: number;
  widthPx: number;
  lines: number;
};

export type Placement = {
  side: 'up' | 'down';
  /** Whether the words stand to the left of the stem. */
  isLeftOfStem: boolean;
  stemPx: number;
};

export type LabelLayout = {
  placements: Placement[];
  /** Room needed above and below what the ruler has by itself. */
  extraTopPx: number;
  extraBottomPx: number;
};

/** Width of the line at the narrowest page on which it is drawn as a ruler. Wider ones only move labels apart. */
export const narrowestLinePx = 840;
export const lineHeightPx = 23;

const roomPx = { up: 132, down: 116 } as const;
const firstStemPx = { up: 24, down: 40 } as const;
const laneStepPx = { up: 56, down: 72 } as const;
const lanesPerSide = 7;
const gapPx = 8;
/** Ends the search for something better in good time; the first arrangement found is already a whole one. */
const stepsMax = 40_000;

const cost = { laneUp: 3, laneDown: 5, leftOfStem: 1, sameSide: 1.5 } as const;

/** Finds places for the labels of one line, given from left to right, so that no two collide and few stand far off. */
export function placeLabels(labels: readonly LabelBox[]): LabelLayout {
  let best: Placement[] | undefined;
  let bestCost = Number.POSITIVE_INFINITY;
  let stepsTaken = 0;
  const candidates = labels.map(candidatesFor);

  const place = (chosen: readonly Placement[], spent: number) => {
    const index = chosen.length;
    const label = labels[index];
    if (!label) {
      best = [...chosen];
      bestCost = spent;
      return;
    }
    for (const { placement, price } of candidates[index] ?? []) {
      stepsTaken += 1;
      if (best && stepsTaken > stepsMax) return;
      const isSameSide = chosen.at(-1)?.side === placement.side || (index === 0 && placement.side === 'up');
      const total = spent + price + (isSameSide ? cost.sameSide : 0);
      if (total >= bestCost) continue;
      const isFree = chosen.every((other, i) => !collide(labels[i] ?? label, other, label, placement));
      if (isFree) place([...chosen, placement], total);
    }
  };
  place([], 0);

  const placements = best ?? labels.map((label) => edgePlacement(label));
  return { placements, ...extraRoom(labels, placements) };
}

/** Whether two labels, or the stem of one and the words of the other, come too close. */
export function collide(first: LabelBox, at: Placement, second: LabelBox, and: Placement): boolean {
  if (at.side !== and.side) return false;
  const [a, b] = [rectangle(first, at), rectangle(second, and)];
  const sharesHeight = a.near < b.far && b.near < a.far;
  if (sharesHeight && a.left < b.right + gapPx && b.left < a.right + gapPx) return true;
  return stemCrosses(a, b) || stemCrosses(b, a);
}

type Rectangle = { left: number; right: number; near: number; far: number; stemAt: number };

function rectangle({ x, widthPx, lines }: LabelBox, { isLeftOfStem, stemPx }: Placement): Rectangle {
  const stemAt = (x / 100) * narrowestLinePx;
  return {
    left: isLeftOfStem ? stemAt - widthPx : stemAt,
    right: isLeftOfStem ? stemAt : stemAt + widthPx,
    near: stemPx,
    far: stemPx + lines * lineHeightPx,
    stemAt,
  };
}

function stemCrosses(stem: Rectangle, words: Rectangle): boolean {
  return stem.far > words.near && stem.stemAt > words.left - gapPx && stem.stemAt < words.right + gapPx;
}

function candidatesFor(label: LabelBox): { placement: Placement; price: number }[] {
  const found: { placement: Placement; price: number }[] = [];
  for (const side of ['down', 'up'] as const) {
    for (let lane = 0; lane < lanesPerSide; lane += 1) {
      for (const isLeftOfStem of [false, true]) {
        const placement = { side, isLeftOfStem, stemPx: firstStemPx[side] + lane * laneStepPx[side] };
        const { left, right } = rectangle(label, placement);
        if (left < 0 || right > narrowestLinePx) continue;
        const price = lane * (side === 'up' ? cost.laneUp : cost.laneDown) + (isLeftOfStem ? cost.leftOfStem : 0);
        found.push({ placement, price });
      }
    }
  }
  return found.sort((a, b) => a.price - b.price);
}

function edgePlacement({ x }: LabelBox): Placement {
  return { side: 'down', isLeftOfStem: x > 50, stemPx: firstStemPx.down };
}

function extraRoom(labels: readonly LabelBox[], placements: readonly Placement[]) {
  const farthest = (side: Placement['side']) =>
    Math.max(
      0,
      ...placements.map((placement, index) => {
        const label = labels[index];
        return label && placement.side === side ? rectangle(label, placement).far : 0;
      }),
    );
  return {
    extraTopPx: Math.max(0, farthest('up') - roomPx.up),
    extraBottomPx: Math.max(0, farthest('down') - roomPx.down),
  };
}
