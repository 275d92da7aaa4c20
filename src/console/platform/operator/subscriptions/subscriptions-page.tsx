import { PageHead } from "../../../parts/page-head.tsx";

export default function SubscriptionsPage() {
  return <PageHead title="subscriptions-page" />;
}
