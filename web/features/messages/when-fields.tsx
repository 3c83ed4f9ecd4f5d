import { deliverMonthsMax, deliverMonthsMin } from '#shared/rules/deliver-on.ts';
import { londonDay } from '#shared/rules/london-day.ts';
import { CheckboxField, TextField } from '#web/components/ui/field.tsx';
import { longDate } from '#web/lib/format.ts';
import { doesWait } from '#web/lib/own-day.ts';
import type { MessageFormFields } from './message-form-state.ts';

/** Time of the letter: with the others, on a day of its own, or some months later. */
export function WhenFields({ form: { register, watch, formState } }: { form: MessageFormFields }) {
  const { errors } = formState;
  const when = watch('when') ?? 'once';
  return (
    <fieldset className="when">
      <legend className="label">When it is sent</legend>
      <CheckboxField
        type="radio"
        value="once"
        label="At once"
        hint="As soon as we know that it is time"
        {...register('when')}
      />
      <CheckboxField type="radio" value="day" label="On a day of its own" {...register('when')} />
      {when === 'day' ? (
        <div className="when-more">
          <TextField
            label="The day"
            type="date"
            min={londonDay(Date.now())}
            hint={dayHint(watch('day') ?? '')}
            error={errors.day?.message}
            {...register('day')}
          />
        </div>
      ) : null}
      <CheckboxField type="radio" value="months" label="Some months after" {...register('when')} />
      {when === 'months' ? (
        <div className="when-more">
          <TextField
            label="How many months"
            type="number"
            inputMode="numeric"
            min={deliverMonthsMin}
            max={deliverMonthsMax}
            step={1}
            hint="Counted from the day on which your other letters go"
            error={errors.months?.message}
            {...register('months')}
          />
        </div>
      ) : null}
      {when === 'once' ? null : (
        <CheckboxField
          label="Tell them that it waits"
          hint="They see the day, not the title. If not, they hear of it on the day."
          {...register('announceWait')}
        />
      )}
    </fieldset>
  );
}

function dayHint(day: string): string {
  if (day === '' || Number.isNaN(Date.parse(day))) return 'If it is time only after that day, it goes at once.';
  if (!doesWait(day)) return 'That day is not to come any more, so it goes at once.';
  return `It goes on ${longDate(day)}, or at once if it is time only after that.`;
}
