import type { ReactNode } from 'react';
import { Button } from '#web/components/ui/button.tsx';
import { Drawing, type DrawingName } from '#web/components/ui/drawing.tsx';

type EmptyProps = {
  drawing: DrawingName;
  title: string;
  text?: ReactNode;
  /** One button or link. */
  action?: ReactNode;
};

/** A place with nothing in it yet: a drawing, a sentence, one action. */
export function Empty({ drawing, title, text, action }: EmptyProps) {
  return (
    <div className="card empty">
      <Drawing name={drawing} />
      <h2 className="h-card">{title}</h2>
      {text ? <p>{text}</p> : null}
      {action}
    </div>
  );
}

type LoadErrorProps = { title: string; text?: ReactNode; onRetry: () => void };

/** Error of a failed load: the cause, the reassurance, and a retry. */
export function LoadError({
  title,
  text = 'The connection failed. Try again, or come back in a few minutes.',
  onRetry,
}: LoadErrorProps) {
  return (
    <div className="card empty" role="alert">
      <Drawing name="key" />
      <h2 className="h-card">{title}</h2>
      <p>{text}</p>
      <Button variant="secondary" onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}
