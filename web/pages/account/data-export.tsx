import { Page } from '#web/components/layout/page.tsx';
import { DeletionCard } from '#web/features/privacy/deletion-card.tsx';
import { ExportCard } from '#web/features/privacy/export-card.tsx';
import { ImportCard } from '#web/features/privacy/import-card.tsx';
import '#web/features/privacy/privacy.css';

/** Export and import of all data of a person. */
export function DataExportPage() {
  return (
    <Page title="Data Export & Account Management" intro="What is in your vault is yours, to take with you at any time">
      <div className="pair">
        <div className="stack">
          <ExportCard />
          <ImportCard />
        </div>
        <DeletionCard />
      </div>
    </Page>
  );
}
