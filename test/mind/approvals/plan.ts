/** The policy of the plan, with its groups. */
export const PLAN = `approval_gates:
  # Low risk: auto-proceed
  low_risk:
    conditions:
      - file_count < 3
      - no_security_sensitive_files
      - test_coverage > 80
    action: auto_approve

  # Medium risk: notify, auto-proceed after timeout
  medium_risk:
    conditions:
      - file_count < 10
      - no_breaking_changes
    action: notify_and_timeout
    timeout_minutes: 30

  # High risk: require explicit approval
  high_risk:
    conditions:
      - changes_auth_code
      - changes_payment_code
      - breaking_api_changes
      - file_count > 20
    action: require_approval
    approvers: ["tech_lead", "security_team"]

  # Critical: multi-party approval
  critical:
    conditions:
      - changes_encryption
      - changes_key_management
      - production_config_changes
    action: require_multi_approval
    min_approvers: 2
    approvers: ["security_team", "devops_team", "tech_lead"]

groups:
  tech_lead: [ada]
  security_team: [bob, cleo]
  devops_team: [dora]
`;
