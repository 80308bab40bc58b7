"""The tests that `make test` and `make check` leave out: a fifth of all, which takes two thirds of the time. CI runs all.

`pytest --quick` and `pytest --long` (`make test-long`) read these lists. `make test ARGS="-k name"` picks from all tests.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]

LEFT_OUT = {
    # Pages in Chromium
    "e2e/test_*.py": "each example of the gallery",
    "journeys/test_app_*.py": "each page of the application",
    "journeys/test_page_*.py": "each card and each page for people",
    "journeys/test_other_origins.py": "pages of other origins",
    "journeys/test_embedding.py": "the example of a page with our elements",
    # Processes that are killed, cut off or watched
    "fault/test_*.py": "kills, partitions, full disks, lost power",
    "leaks/test_nothing_leaks.py": "a search for a secret in everything that processes leave behind",
    "leaks/test_on_postgres.py": "the same on Postgres",
    "leaks/test_planted_leaks.py": "the same with leaks that have to be found",
    "leaks/test_reports.py": "the same in reports of errors",
    "cli/test_workers.py": "several workers behind one port",
    "cli/test_audit_seal.py": "seals of the audit log that were changed",
    "cli/test_inbox_*.py": "each kind of request in the terminal",
    "cli/test_approve.py": "approvals from a shell script",
    "cli/test_confirm.py": "approvals in the terminal",
    "cli/test_policy.py": "the settings of the policy",
    "cli/test_reading.py": "commands without a server or with a wrong folder",
    "cli/test_rules.py": "rules with and without a server",
    "cli/test_run.py": "commands that get secrets",
    "cli/test_secrets.py": "the list of secrets, and their keys",
    "cli/test_thread.py": "conversations in the terminal",
    "cli/test_serve*.py": "servers that start, stop and fail",
    "cli/test_backup.py": "backups of a running server",
    "cli/test_postgres.py": "commands beside Postgres",
    "cli/test_main.py": "what a new process imports",
    "client/test_memory.py": "the memory of many waiting agents",
    "client/test_secret_leaks.py": "a search for a secret in errors and logs of the client",
    "journeys/test_answer_messages.py": "answers as messages, with kills, on both databases",
    "journeys/test_bad_input.py": "1,700 bad calls",
    "journeys/test_content.py": "texts from outside, on every store",
    "journeys/test_option_source*.py": "sources of options, and their faults",
    "journeys/test_two_servers.py": "two servers on one Postgres",
    # Journeys through the API in every detail
    "journeys/test_agent_*.py": "what one agent may see of another",
    "journeys/test_approval_*.py": "inputs, rules, people and plans of approvals",
    "journeys/test_audit_search.py": "each filter of the audit log",
    "journeys/test_message_parts.py": "each part of a message",
    "journeys/test_policy_*.py": "commands and settings of the policy",
    "journeys/test_roots.py": "roots of agents",
    "journeys/test_rule_usage.py": "uses and trials of rules",
    "journeys/test_secret_key*.py": "master keys, and their files",
    "journeys/test_secret_*probes.py": "values that are tried before they are taken",
    "journeys/test_secret_leases.py": "commands that use secrets",
    "journeys/test_secret_roles.py": "who may see and change a secret",
    "journeys/test_*validator*.py": "validators on the server",
    "journeys/test_sharing_*.py": "each level of access with each operation",
    "journeys/test_source_*.py": "questions that take their options from sources",
    "journeys/test_texts.py": "texts in every language",
    "storage/test_pages.py": "the indexes of each list",
    # The source systems in every detail
    "compat/test_golden.py": "the recorded conversations of each system, on both databases",
    "compat/test_systems.py": "the systems one without the others",
    # Whole programs
    "examples/test_*.py": "the examples of the documentation",
    "chat/test_*.py": "`askback chat`",
    "demo/test_*.py": "`askback demo`, and the projects that it writes",
    "typescript/test_*.py": "the TypeScript package in Node processes",
    "bench/test_*.py": "benchmarks",
    # Checks of the checks
    "structure/test_adapter_types.py": "the check of the adapters' types",
    "forks/test_process.py": "a forked process beside a new one",
    "forks/test_side_by_side.py": "tests in several processes",
    "storage/test_model.py": "random conversations with each store, and with faulty ones",
}
"""Files in `tests`, with what they test."""

QUICK_TESTS = {
    "cli/test_approve.py": (
        "test_a_call_decided_by_the_policy_asks_nobody",
        "test_an_edited_input_is_printed",
        "test_denied_ends_with_3_and_prints_no_input_but_the_reason",
        "test_expired_ends_with_5_and_no_input",
        "test_without_a_server_and_without_a_terminal_nothing_may_run",
    ),
    "cli/test_backup.py": ("test_a_backup_under_load_is_restored_elsewhere_and_its_secrets_are_leased",),
    "cli/test_confirm.py": (
        "test_a_dangerous_call_needs_a_second_confirmation",
        "test_hidden_characters_are_escaped_and_cannot_imitate_our_texts",
        "test_yes_approves_once_and_stores_no_rule",
    ),
    "cli/test_reading.py": ("test_an_error_of_the_operating_system_is_one_line",),
    "cli/test_rules.py": (
        "test_a_preview_lists_calls_that_a_rule_would_decide_differently",
        "test_a_rule_applies_until_it_is_revoked",
    ),
    "cli/test_run.py": (
        "test_a_name_that_decides_how_a_command_runs_is_refused_before_anything",
        "test_the_command_has_the_values_in_its_environment_and_nothing_of_askback",
        "test_the_output_of_the_command_is_scrubbed_while_it_streams",
    ),
    "cli/test_secrets.py": (
        "test_a_piped_value_is_stored_exactly_and_never_printed",
        "test_a_server_with_a_key_file_gets_a_new_key_while_it_runs",
    ),
    "cli/test_serve.py": ("test_one_line_says_how_to_reach_the_server_once_it_accepts_requests",),
    "compat/test_golden.py": ("test_conversation",),
    "fault/test_kill.py": ("test_killing_the_server_loses_nothing_and_repeats_nothing",),
    "journeys/test_app_agents.py": ("test_a_token_is_shown_once_works_and_is_revoked",),
    "journeys/test_app_audit.py": ("test_entries_are_filtered_by_the_address_and_link_to_their_subject",),
    "journeys/test_app_chat.py": ("test_the_composer_stays_visible_explains_its_effect_and_keeps_its_draft",),
    "journeys/test_app_conversations.py": ("test_a_conversation_is_renamed_archived_and_restored",),
    "journeys/test_app_inbox.py": (
        "test_a_dangerous_call_takes_a_and_enter_and_a_key_too_early_does_nothing",
        "test_by_keyboard_one_request_is_decided_after_the_other",
    ),
    "journeys/test_app_rules.py": (
        "test_a_rule_draft_is_tried_while_typing_and_lists_the_calls_it_would_allow",
    ),
    "journeys/test_app_secrets.py": (
        "test_with_the_keyboard_alone_a_secret_is_added_and_erased_after_a_question",
    ),
    "journeys/test_app_settings.py": (
        "test_a_dark_page_stays_dark_on_every_page",
        "test_an_admin_changes_the_policy_and_everything_needs_typed_words",
        "test_an_immediate_answer_makes_no_notification",
    ),
    "journeys/test_app_shell.py": ("test_axe_finds_nothing_in_the_application",),
    "journeys/test_approval_binding.py": (
        "test_a_rule_that_now_denies_wins_over_a_late_yes",
        "test_an_approved_call_is_used_once_and_only_as_it_was_approved",
    ),
    "journeys/test_page_actions.py": ("test_a_completed_action_is_reported_with_the_keyboard",),
    "journeys/test_page_approvals.py": ("test_an_edited_command_is_checked_and_approved_once",),
    "journeys/test_page_fields.py": (
        "test_a_field_of_a_type_that_the_page_does_not_know_is_no_text_input",
        "test_another_language_applies_to_open_cards_and_keeps_the_typed_values",
        "test_the_filter_of_a_long_list_is_used_by_keyboard",
        "test_the_time_left_is_that_of_the_server_and_counts_down",
    ),
    "journeys/test_page_files.py": ("test_a_file_is_dropped",),
    "journeys/test_page_forms.py": (
        "test_all_eleven_types_are_filled_in_by_keyboard_and_come_back_typed",
        "test_every_outcome_shows_live_and_the_same_after_a_reload",
    ),
    "journeys/test_page_history.py": ("test_the_history_shows_person_decision_and_reason_and_is_searchable",),
    "journeys/test_page_keys.py": ("test_an_opened_request_is_answered_by_numbers_and_enter_alone",),
    "journeys/test_page_kinds.py": ("test_the_element_of_a_package_draws_its_kind_and_answers",),
    "journeys/test_page_mcp_view.py": ("test_a_form_answered_in_the_view_is_reported_to_the_model",),
    "journeys/test_page_oauth.py": ("test_an_account_is_connected_in_a_window_that_the_click_opens",),
    "journeys/test_page_rows.py": (
        "test_rows_are_decided_by_the_keyboard_and_an_accepted_one_shows_its_fields",
    ),
    "journeys/test_page_secret_card.py": ("test_the_card_has_inputs_reason_help_scope_and_warning",),
    "journeys/test_page_secrets.py": ("test_a_typed_secret_is_sent_once_and_kept_nowhere_in_the_page",),
    "journeys/test_page_sessions.py": ("test_a_link_signs_in_once_and_its_code_leaves_the_address",),
    "journeys/test_page_steps.py": ("test_steps_are_checked_one_by_one_and_back_keeps_the_entered_values",),
    "journeys/test_page_texts.py": ("test_a_summary_uses_the_template_of_the_form_and_can_show_the_inputs",),
    "journeys/test_page_thread.py": (
        "test_a_message_of_a_person_reaches_the_agent",
        "test_two_forms_of_one_tool_call_keep_their_order",
    ),
    "journeys/test_page_trouble.py": ("test_an_answer_whose_reply_was_lost_is_not_sent_twice",),
    "journeys/test_page_widgets.py": (
        "test_a_radio_list_works_by_arrows_and_enter",
        "test_a_select_opens_on_its_placeholder_and_waits",
        "test_two_buttons_pressed_together_send_one_answer",
    ),
    "journeys/test_secret_keys.py": (
        "test_every_defect_of_a_ciphertext_has_the_same_error",
        "test_without_a_master_key_secrets_are_refused_and_the_rest_works",
    ),
    "storage/test_pages.py": ("test_the_newest_messages_of_a_thread_are_found_without_reading_the_others",),
}
"""Tests in those files that `make test` runs: a journey for each page and each kind of card, one kill, and what
proves a requirement that no other quick test proves."""


@cache  # there are thousands of tests in a few hundred files
def is_listed(path: Path) -> bool:
    """Return whether this is one of the files above."""
    tests = ROOT / "tests"
    return path.is_relative_to(tests) and any(map(path.relative_to(tests).match, LEFT_OUT))


def kept_of(path: Path) -> tuple[str, ...]:
    """The tests of a listed file that `make test` runs."""
    return QUICK_TESTS.get(path.relative_to(ROOT / "tests").as_posix(), ())
