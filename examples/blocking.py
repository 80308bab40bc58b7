"""The same client without `async`, and what to do when the person does not answer."""

from askback import Client, Declined, Expired

with Client() as ask:
    try:
        sure = ask.confirm("Delete the old backups?", thread_id="backups", timeout_s=3600)
    except Declined as left:
        print(f"You declined ({left.request.reason}). Nothing is deleted.")
    except Expired:
        print("Nobody answered within an hour. Nothing is deleted.")
    else:
        print("Deleting." if sure else "Keeping them.")
