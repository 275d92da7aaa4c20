import { PageHead } from "../../parts/page-head.tsx";

export default function DoctorPage() {
  return <PageHead title="doctor-page" />;
}
