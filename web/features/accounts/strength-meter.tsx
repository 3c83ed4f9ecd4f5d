import './accounts.css';
import { passwordStrength } from './password-strength.rules.ts';

type StrengthMeterProps = {
  id: string;
  password: string;
  /** Names and addresses that make a password easy to guess for those who know its owner. */
  personal?: readonly string[];
};

const steps = [1, 2, 3, 4] as const;

/** Says, while a password is typed, how hard it is to guess. The word carries it; the bar repeats it. */
export function StrengthMeter({ id, password, personal = [] }: StrengthMeterProps) {
  const { level, step, advice } = passwordStrength(password, personal);
  return (
    <div className="strength" id={id}>
      <span className="strength-bar" data-step={step} aria-hidden="true">
        {steps.map((part) => (
          <i key={part} data-filled={part <= step} />
        ))}
      </span>
      <span className="hint" aria-live="polite">
        {password === ''
          ? 'At least 8 characters. Any characters will do.'
          : `Password strength: ${level}. ${advice}`.trim()}
      </span>
    </div>
  );
}
