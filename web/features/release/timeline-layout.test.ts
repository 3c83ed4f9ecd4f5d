import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silenceSchedule } from '#shared/rules/inactivity.ts';
import {
  collide,
  type LabelBox,
  type LabelLayout,
  lineHeightPx,
  narrowestLinePx,
  placeLabels,
} from './timeline-layout.rules.ts';

describe('The places of labels along the line of time', () => {
  it.each([90, 180, 365])('do not collide for a period of %i days, today or weeks later', (inactivityDays) => {
    for (const today of [0, 4, 20, 29, 44]) {
      const labels = labelsOf(inactivityDays, today);
      const layout = placeLabels(labels);
      expectNoCollision(labels, layout);
      expect(layout.extraTopPx, 'the ruler grows by a line at most').toBeLessThanOrEqual(lineHeightPx);
      expect(layout.extraBottomPx).toBe(0);
    }
  });

  it('are those of the drawing for 180 days, four days after the last check-in', () => {
    const { placements } = placeLabels(labelsOf(180, 4));
    expect(placements.map(({ side, isLeftOfStem }) => `${side}${isLeftOfStem ? ' r' : ''}`)).toEqual([
      'down',
      'up',
      'down',
      'up r',
      'down r',
      'up r',
    ]);
    expect(placements.map(({ stemPx }) => stemPx)).toEqual([40, 24, 40, 24, 40, 80]);
  });

  it('never collide, wherever the dots fall', () => {
    // Two things on one day stand on one dot, and nothing is drawn in the free end of the line.
    const nearestX = 1.1;
    const lastX = 98.4;
    const label = fc.record({
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      widthPx: fc.integer({ min: 70, max: 210 }),
      lines: fc.constantFrom(2, 3),
    });
    fc.assert(
      fc.property(fc.array(label, { minLength: 2, maxLength: 7 }), (drawn) => {
        const freeX = lastX - drawn.length * nearestX;
        const labels = drawn
          .toSorted((a, b) => a.share - b.share)
          .map(({ share, widthPx, lines }, index) => ({ x: share * freeX + index * nearestX, widthPx, lines }));
        expectNoCollision(labels, placeLabels(labels));
      }),
      { numRuns: 200 },
    );
  });

  it('leave room for what stands farther off than the ruler reaches', () => {
    const crowd = [40, 41.2, 42.4, 43.6, 44.8, 46].map((x) => ({ x, widthPx: 190, lines: 3 }));
    const layout = placeLabels(crowd);
    expectNoCollision(crowd, layout);
    expect(layout.extraTopPx + layout.extraBottomPx).toBeGreaterThan(0);
  });
});

describe('Two labels', () => {
  const left: LabelBox = { x: 10, widthPx: 150, lines: 2 };
  const right: LabelBox = { x: 20, widthPx: 150, lines: 2 };
  const below = { side: 'down', isLeftOfStem: false, stemPx: 40 } as const;

  it('collide where they overlap on one side, and not on both', () => {
    expect(collide(left, below, right, below)).toBe(true);
    expect(collide(left, below, right, { ...below, side: 'up' })).toBe(false);
  });

  it('collide where the longer stem of one runs through the words of the other', () => {
    expect(collide(left, below, right, { ...below, stemPx: 112 })).toBe(true);
    expect(collide(left, { ...below, stemPx: 112 }, right, below)).toBe(false);
  });
});

/** The labels of a real line: today, the next check-in, two reminders, the contacts, the delivery. */
function labelsOf(inactivityDays: number, today: number): LabelBox[] {
  const schedule = silenceSchedule({ inactivityDays, releaseMethod: 'inactivity', answerDays: 7 });
  const last = schedule.automaticDeliveryDay ?? inactivityDays;
  const at = (day: number) => (day / (last * 1.016)) * 100;
  return [
    { x: at(today), widthPx: 190, lines: 3 },
    { x: at(30), widthPx: 197, lines: 3 },
    { x: at(schedule.firstReminderDay), widthPx: 197, lines: 3 },
    { x: at(schedule.lastReminderDay), widthPx: 188, lines: 2 },
    { x: at(schedule.contactsAskedDay), widthPx: 180, lines: 3 },
    { x: at(last), widthPx: 171, lines: 2 },
  ].sort((a, b) => a.x - b.x);
}

function expectNoCollision(labels: readonly LabelBox[], { placements }: LabelLayout): void {
  expect(placements).toHaveLength(labels.length);
  for (const [i, label] of labels.entries()) {
    const placement = placements[i];
    if (!placement) throw new Error('A label has no place.');
    const edge = (label.x / 100) * narrowestLinePx + (placement.isLeftOfStem ? -label.widthPx : label.widthPx);
    expect(edge).toBeGreaterThanOrEqual(0);
    expect(edge).toBeLessThanOrEqual(narrowestLinePx);
    for (const [j, other] of labels.entries()) {
      const otherPlacement = placements[j];
      if (j <= i || !otherPlacement) continue;
      expect(collide(label, placement, other, otherPlacement), `labels ${i} and ${j}`).toBe(false);
    }
  }
}
