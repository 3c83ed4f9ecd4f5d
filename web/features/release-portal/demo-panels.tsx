import { fileSize } from '#shared/rules/sizes.ts';
import { PageHeading } from '#web/components/layout/page.tsx';
import { Button } from '#web/components/ui/button.tsx';
import { Drawing } from '#web/components/ui/drawing.tsx';
import { isoDay, longDate } from '#web/lib/format.ts';
import { useTitle } from '#web/lib/use-title.ts';
import { demoDocuments, demoSteps, demoSummary } from './demo-portal.ts';
import type { Decision } from './use-portal.ts';

/** The documents of the demonstration: every one is named, and none can be opened. */
export function DemoDocuments() {
  return (
    <section className="stack" aria-labelledby="demo-documents">
      <div>
        <h2 className="h-card" id="demo-documents">
          Documents
        </h2>
        <p className="quiet">You see that they are there. What is in them stays shut.</p>
      </div>
      <table className="list">
        <caption className="vh">Documents of the account holder</caption>
        <thead>
          <tr>
            <th scope="col">Document</th>
            <th scope="col">Category</th>
            <th scope="col">Size</th>
            <th scope="col">Uploaded</th>
          </tr>
        </thead>
        <tbody>
          {demoDocuments.map(({ name, category, fileSizeBytes, uploadDate }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{category}</td>
              <td className="num">{fileSize(fileSizeBytes)}</td>
              <td>
                <time dateTime={isoDay(uploadDate)}>{longDate(uploadDate)}</time>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** Steps that lead to such a page. */
export function DemoHowItWorks() {
  return (
    <section className="card answer" aria-labelledby="demo-how">
      <div>
        <h2 className="h-card" id="demo-how">
          How it works
        </h2>
        <p>{demoSummary}</p>
      </div>
      <ol className="tl tl-row">
        {demoSteps.map(({ title, text }) => (
          <li key={title}>
            <span className="tl-w">{title}</span>
            <span>{text}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Effect of an answer, as it would be. */
export function DemoResult({ decision, onAgain }: { decision: Decision; onAgain: () => void }) {
  const title = decision === 'confirmed' ? 'Release Confirmed' : 'Release Cancelled';
  useTitle(`${title} (demonstration)`);
  return (
    <div className="card empty">
      <Drawing name={decision === 'confirmed' ? 'post' : 'lamp-lit'} />
      <PageHeading>{title}</PageHeading>
      <p role="status">
        This was a demonstration, and nothing was sent.{' '}
        {decision === 'confirmed'
          ? 'On the real page, the messages would be delivered within minutes, since the account holder’s whole time is over. Had a release been asked for early, we would try to reach them first, for three days unless they chose otherwise.'
          : 'On the real page, the account holder would be told to sign in.'}
      </p>
      <Button variant="secondary" onClick={onAgain}>
        Start the demonstration again
      </Button>
    </div>
  );
}
