import { writingQuestionOf } from '#shared/rules/letters/writing-questions.ts';
import { Button } from '#web/components/ui/button.tsx';

type AskedQuestionProps = { number: number; onBegin: (opening: string) => void };

/** The question from the mail that led here: above an empty sheet, or below the words on it. */
export function AskedQuestion({ number, onBegin }: AskedQuestionProps) {
  const { question, opening } = writingQuestionOf(number);
  return (
    <p className="asked">
      <span className="it">{question}</span>{' '}
      <Button variant="text" size="small" onClick={() => onBegin(opening)}>
        Begin with it
      </Button>
    </p>
  );
}
