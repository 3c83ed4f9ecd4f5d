import { counted } from '#web/lib/format.ts';
import './days-question.css';

type DaysQuestionProps = {
  /** As it was chosen, or typed in another place: a number of days in figures. */
  value: string;
  onChoose: (value: string) => void;
};

type Choice = { value: string; title: string; note: string; isOurs?: true };

const choices: Choice[] = [
  { value: '3', title: 'Three days', note: 'Time to stop a mistake, even with a flat battery.', isOurs: true },
  { value: '7', title: 'Seven days', note: 'If you are often at sea, on a ward, or out of reach.' },
  {
    value: '0',
    title: 'No wait',
    note: 'Letters go within minutes. If it was a mistake, nobody can stop it.',
  },
];

/** Waiting days after an early report of the owner's death, and the course of those days. */
export function DaysQuestion({ value, onChoose }: DaysQuestionProps) {
  const days = Number(value);
  const isOther = !choices.some((choice) => choice.value === value) && days > 0;
  const all = isOther
    ? [...choices, { value, title: counted(days, 'day'), note: 'What you have chosen before.' }]
    : choices;
  return (
    <fieldset className="days-asked">
      <legend className="h-card">If a contact says you have died, how long should we try to reach you first?</legend>
      <p className="quiet">
        Contacts can be wrong. We tell you at once, in every way we can, and one press from you stops it.
      </p>
      <div className="days-choices">
        {all.map((choice) => (
          <label className="days-choice" key={choice.value}>
            <input
              type="radio"
              name="waitingDays"
              value={choice.value}
              checked={choice.value === value}
              onChange={() => onChoose(choice.value)}
            />
            <b>{choice.title}</b>
            <small>{choice.note}</small>
            {'isOurs' in choice ? <em>We suggest this one</em> : null}
          </label>
        ))}
      </div>
      <div className="days-line">
        <p className="it">{days > 0 ? `How ${counted(days, 'day')} would go` : 'How it would go'}</p>
        <ol className="tl tl-row" aria-live="polite">
          <li className="now">
            <span className="tl-w">Your contact tells us</span>
            <span>Day 0</span>
          </li>
          <li className="warn">
            <span className="tl-w">We tell you</span>
            <span>Minutes later</span>
            <small>By email, and by text if you give a phone</small>
          </li>
          {days > 0 ? (
            <li className="warn">
              <span className="tl-w">We wait for you</span>
              <span>Until day {days}</span>
              <small>One press stops everything</small>
            </li>
          ) : null}
          <li className="end">
            <span className="tl-w">Your letters go</span>
            <span>{days > 0 ? `Day ${days}` : 'In the same minutes'}</span>
            <small>{days > 0 ? 'If we heard nothing' : 'Nobody can stop it'}</small>
          </li>
        </ol>
      </div>
    </fieldset>
  );
}
