import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { demoPortal } from './demo-portal.ts';
import { PortalFacts } from './portal-facts.tsx';
import { SendStep } from './send-dialog.tsx';

test('a page without scripts shows every reader of a message, the name before the address', () => {
  const [message] = demoPortal.messages;
  if (!message) throw new Error('The demonstration has a message.');
  const recipients = [
    { name: 'Nell Vane', relation: null, email: 'nell@example.org' },
    { name: 'Mum & Dad', relation: null, email: 'home@example.org' },
  ];
  const portal = { ...demoPortal, messages: [{ ...message, recipients }] };
  for (const page of [
    <PortalFacts key="facts" portal={portal} />,
    <SendStep key="send" portal={portal} reason="x" />,
  ]) {
    const markup = renderToStaticMarkup(page);
    expect(markup).toContain('<li><bdi>Nell Vane</bdi>, nell@example.org</li>');
    expect(markup).toContain('<li><bdi>Mum &amp; Dad</bdi>, home@example.org</li>');
  }
});
