import { getSheet } from '#shared/contract/vault/sheet.ts';
import { Card } from '#web/components/ui/card.tsx';
import { Icon } from '#web/components/ui/icon.tsx';
import { addressOf } from '#web/lib/api/api.ts';

/** Offers the sheet for the solicitor and the drawer, where an owner prepares for the people who stay. */
export function SheetToKeep() {
  return (
    <Card as="section" className="stack stack-close noprint" aria-labelledby="sheet-to-keep">
      <h2 className="h-card" id="sheet-to-keep">
        A sheet to keep with the will
      </h2>
      <p className="measure">
        One page on paper, for your solicitor and the drawer. It says how many letters and documents there are, whom to
        ask, and how a release starts. It holds no titles, no passwords and no links that open anything.
      </p>
      <div className="btns">
        <a className="btn btn-2" href={addressOf(getSheet)} download>
          <Icon name="download" />
          Make the sheet (PDF)
        </a>
      </div>
    </Card>
  );
}
