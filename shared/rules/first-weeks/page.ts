import { type ComparedSource, comparedSources } from '#shared/uk-facts.ts';
import { type FirstWeeksNation, type FirstWeeksNotes, firstWeeksLabels, firstWeeksNationNames } from './notes.ts';
import { type FirstWeeksStep, firstWeeksParts } from './steps.ts';

/** A step as its reader sees it. `where` names the nations of a step that does not hold everywhere. */
export type ShownStep = {
  title: string;
  where: string | null;
  words: readonly string[];
  list: readonly string[];
  notes: readonly { label: string; words: string }[];
  sources: readonly ComparedSource[];
};
export type ShownPart = { title: string; steps: readonly ShownStep[] };

/** Steps in order of days: those of the owner’s nation, or of all three, with the owner’s notes in their places. */
export function firstWeeksPage(notes: FirstWeeksNotes): ShownPart[] {
  return firstWeeksParts.map(({ title, steps }) => ({
    title,
    steps: steps.filter(({ nations }) => holdsIn(nations, notes.nation)).map((step) => shown(step, notes)),
  }));
}

function holdsIn(nations: FirstWeeksStep['nations'], nation: FirstWeeksNation | null): boolean {
  return nations === undefined || nation === null || nations.includes(nation);
}

function shown(step: FirstWeeksStep, notes: FirstWeeksNotes): ShownStep {
  const { title, nations, words, list = [], facts = [] } = step;
  const of = nations && notes.nation ? [notes.nation] : nations;
  return {
    title,
    where: of ? of.map((nation) => firstWeeksNationNames[nation]).join(' and ') : null,
    words,
    list,
    notes: (step.notes ?? []).flatMap((field) => {
      const noted = notes[field];
      return noted === null ? [] : [{ label: firstWeeksLabels[field], words: noted }];
    }),
    sources: comparedSources(facts),
  };
}
