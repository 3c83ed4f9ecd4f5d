import { Button } from '#web/components/ui/button.tsx';

type PagesProps = { of: string; number: number; hasNext: boolean; onPrevious: () => void; onNext: () => void };

/** Leads through a list that the service gives page by page. */
export function Pages({ of, number, hasNext, onPrevious, onNext }: PagesProps) {
  return (
    <nav className="admin-pages" aria-label={`Pages of ${of}`}>
      <Button variant="secondary" size="small" disabled={number === 1} onClick={onPrevious}>
        Previous
      </Button>
      <span aria-live="polite">Page {number}</span>
      <Button variant="secondary" size="small" disabled={!hasNext} onClick={onNext}>
        Next
      </Button>
    </nav>
  );
}
