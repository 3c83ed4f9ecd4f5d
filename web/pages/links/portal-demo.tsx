import { useState } from 'react';
import { Footer } from '#web/components/layout/footer.tsx';
import { PublicHeader } from '#web/components/layout/public-header.tsx';
import { Banner } from '#web/components/ui/banner.tsx';
import { DemoDocuments, DemoHowItWorks, DemoResult } from '#web/features/release-portal/demo-panels.tsx';
import { demoPortal } from '#web/features/release-portal/demo-portal.ts';
import { PortalForm } from '#web/features/release-portal/portal-form.tsx';
import type { Decision } from '#web/features/release-portal/use-portal.ts';

/** The page of a trusted contact with made-up people: everything can be tried, and nothing is sent or asked for. */
export function PortalDemoPage() {
  const [decision, setDecision] = useState<Decision | null>(null);
  const [reason, setReason] = useState('');
  const startAgain = () => {
    setDecision(null);
    setReason('');
  };
  return (
    <>
      <PublicHeader offers="none" />
      <main id="main" className="portal narrow main stack demo" tabIndex={-1}>
        <Banner>
          <b>This is a demonstration.</b> The people, messages and documents are made up. Nothing you do here is sent or
          kept.
        </Banner>
        {decision ? (
          <DemoResult decision={decision} onAgain={startAgain} />
        ) : (
          <PortalForm
            portal={demoPortal}
            reason={reason}
            onReason={setReason}
            busyWith={null}
            onDecide={setDecision}
            documents={<DemoDocuments />}
          />
        )}
        <DemoHowItWorks />
      </main>
      <Footer />
    </>
  );
}
