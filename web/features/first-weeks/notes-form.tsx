import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { UseFormReturn } from 'react-hook-form';
import { useLocation } from 'wouter';
import { z } from 'zod';
import { type FirstWeeks, firstWeeksBody, getFirstWeeks, saveFirstWeeks } from '#shared/contract/vault/first-weeks.ts';
import {
  firstWeeksFields,
  firstWeeksLabels,
  firstWeeksNationNames,
  firstWeeksNations,
  firstWeeksNoteLengthMax,
} from '#shared/rules/first-weeks/notes.ts';
import { Banner } from '#web/components/ui/banner.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { DamagedNote } from '#web/components/ui/damaged-note.tsx';
import { SelectField, TextAreaField } from '#web/components/ui/field.tsx';
import {
  comparedFields,
  FieldList,
  savedElsewhere,
  TwoVersions,
  thisWindow,
  titleFrom,
  type Which,
} from '#web/components/versions/two-versions.tsx';
import { call } from '#web/lib/api/api.ts';
import { keyOf } from '#web/lib/api/reads.ts';
import { failureWords } from '#web/lib/api/saves.ts';
import { useSaves } from '#web/lib/api/use-saves.ts';
import { useKeptForm } from '#web/lib/drafts/kept-form.ts';
import { useLeaveWarning } from '#web/lib/drafts/leave-warning.ts';
import { showIssues } from '#web/lib/form-issues.ts';
import { toast } from '#web/lib/toast.ts';
import { noteGroups } from './note-groups.ts';
import '#web/components/first-weeks/first-weeks.css';

/** A select has no null, so the empty choice stands for none. */
const formSchema = firstWeeksBody.extend({
  nation: z.union([z.literal('').transform(() => null), z.enum(firstWeeksNations)]),
});
type Values = z.input<typeof formSchema>;
type Answers = z.output<typeof formSchema>;

const nationOptions = [
  { value: '', label: 'Show all of them' },
  ...firstWeeksNations.map((value) => ({ value, label: firstWeeksNationNames[value] })),
];

/** The form, and both versions if another window has saved in between. */
export function NotesForm({ saved: first }: { saved: FirstWeeks }) {
  const [saved, setSaved] = useState(first);
  // Another stored version is another form.
  return <OneForm key={saved.version} saved={saved} onReplaced={setSaved} />;
}

type OneFormProps = { saved: FirstWeeks; onReplaced: (saved: FirstWeeks) => void };

function OneForm({ saved, onReplaced }: OneFormProps) {
  const kept = useKeptForm<Values, Answers>({
    draftName: 'first-weeks',
    schema: formSchema,
    initial: valuesOf(saved),
  });
  const { form, forget, isRestored, startAgain } = kept;
  const { formState, handleSubmit } = form;
  const save = useSaveNotes(saved, {
    showProblem: (error) => showIssues(error, ['nation', ...firstWeeksFields], form.setError),
    onSaved: forget,
  });
  useLeaveWarning(formState.isDirty && !save.isDone);
  const submit = handleSubmit((values) => {
    if (!save.isBusy) save.save(values);
  });
  const choose = (which: Which) => {
    if (which === 'other' && save.conflict) {
      forget();
      return onReplaced(save.conflict);
    }
    // The form is there again before the focus is to go to it.
    flushSync(() => save.keepMine());
    form.setValue('version', save.conflict?.version);
    form.setFocus('will');
  };
  return (
    <>
      {save.conflict ? <TwoNotes these={form.getValues()} other={save.conflict} onChoose={choose} /> : null}
      <form hidden={save.conflict !== undefined} className="weeks-form" noValidate onSubmit={submit}>
        <Banner>
          Leave out passwords and PINs. This page is read by others, and saved on their devices. Say where a password is
          kept instead.
        </Banner>
        {saved.isDamaged ? <DamagedNote>You can write the notes again.</DamagedNote> : null}
        {isRestored ? <Restored onStartAgain={startAgain} /> : null}
        <NoteFields form={form} />
        {save.problem ? (
          <Banner tone="bad" role="alert">
            {save.problem}
          </Banner>
        ) : null}
        <div className="btns">
          <Button type="submit" busy={save.isBusy}>
            {save.isBusy ? 'Saving…' : 'Save the notes'}
          </Button>
        </div>
      </form>
    </>
  );
}

type FieldsProps = { form: UseFormReturn<Values, unknown, Answers> };

function NoteFields({ form: { register, formState } }: FieldsProps) {
  return (
    <>
      <SelectField
        label="Whose law to show"
        hint="The law of the part of the United Kingdom where you live"
        options={nationOptions}
        error={formState.errors.nation?.message}
        {...register('nation')}
      />
      {noteGroups.map(({ title, fields }) => (
        <fieldset key={title}>
          <legend>{title}</legend>
          {fields.map(({ name, hint }) => (
            <TextAreaField
              key={name}
              label={firstWeeksLabels[name]}
              hint={hint}
              rows={2}
              maxLength={firstWeeksNoteLengthMax}
              error={formState.errors[name]?.message}
              {...register(name)}
            />
          ))}
        </fieldset>
      ))}
    </>
  );
}

function Restored({ onStartAgain }: { onStartAgain: () => void }) {
  return (
    <Banner>
      This is what you typed here before. It is not saved yet.{' '}
      <Button variant="text" size="small" onClick={onStartAgain}>
        Show the saved notes
      </Button>
    </Banner>
  );
}

type Saving = { showProblem: (error: Error) => boolean; onSaved: () => void };

/** Saves, and then shows the page that the notes are for. */
function useSaveNotes(saved: FirstWeeks, { showProblem, onSaved }: Saving) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isAtField, setAtField] = useState(false);
  const { saves, conflict, isConflict, keepMine } = useSaves(saved);
  const save = useMutation({
    mutationFn: (body: Answers) => saves.save(body, (base, changeKey) => store(base, body, changeKey), body.version),
    onSuccess: (stored) => {
      onSaved();
      client.setQueryData(keyOf(getFirstWeeks), stored);
      client.invalidateQueries();
      toast({ title: 'Notes saved', description: 'This is the page as your contacts would see it.' });
    },
    onError: (error) => setAtField(!isConflict(error) && showProblem(error)),
  });
  const { isSuccess } = save;
  // Once the words are saved, leaving asks no question.
  useEffect(() => {
    if (isSuccess) navigate('/first-weeks');
  }, [isSuccess, navigate]);
  const isSaid = isAtField || !save.error || conflict !== undefined;
  return {
    ...{ save: save.mutate, isBusy: save.isPending, isDone: isSuccess, conflict },
    problem: isSaid ? undefined : failureWords(save.error as Error),
    keepMine: () => {
      keepMine();
      save.reset();
    },
  };
}

function store(base: FirstWeeks | undefined, body: Answers, changeKey: string): Promise<FirstWeeks> {
  return call(saveFirstWeeks, { body: { ...body, version: base?.version }, changeKey });
}

type TwoNotesProps = { these: Values; other: FirstWeeks; onChoose: (which: Which) => void };

/** Fields that differ in two versions of the notes, and the choice. */
function TwoNotes({ these, other, onChoose }: TwoNotesProps) {
  const fields = comparedFields<Values>(these, valuesOf(other), [
    { label: 'Whose law to show', of: ({ nation }) => (nation ? firstWeeksNationNames[nation] : 'All of them') },
    ...firstWeeksFields.map((name) => ({
      label: firstWeeksLabels[name],
      of: (values: Values) => values[name] ?? '',
    })),
  ]);
  const differing = (side: typeof fields.these) => side.filter(({ isDifferent }) => isDifferent);
  return (
    <TwoVersions
      title="These notes were changed in another window or on another device"
      text={savedElsewhere}
      these={{ title: thisWindow, children: <FieldList fields={differing(fields.these)} /> }}
      other={{
        title: titleFrom('Saved elsewhere', other.updatedAt ?? new Date().toISOString()),
        children: <FieldList fields={differing(fields.other)} />,
      }}
      onChoose={onChoose}
    />
  );
}

function valuesOf({ updatedAt: _, isDamaged: __, nation, version, ...notes }: FirstWeeks): Values {
  const words = Object.fromEntries(firstWeeksFields.map((field) => [field, notes[field] ?? '']));
  return { ...words, nation: nation ?? '', version } as Values;
}
