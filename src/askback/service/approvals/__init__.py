"""Approvals of tool calls: policy, rules, decisions, and the single use of an approval."""
