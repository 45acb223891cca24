import digitalassets.ApiException;
import digitalassets.api.ExchangeApi;
import digitalassets.model.*;
import java.time.OffsetDateTime;
import java.util.*;
import java.util.stream.Stream;
import sandboxcontrol.ApiClient;
import sandboxcontrol.api.ControlApi;
import sandboxcontrol.model.Fault;
import sandboxcontrol.model.Faults;

/**
 * Tests that a listing survives two 503s and a revoked token, and that reading the same time range again finds a
 * record that arrived late. A client for the sandbox's control routes triggers these events.
 */
public class Recovery {
  static final int PAGE = 1000;
  static final String LIST = "listQuoteExecutions";

  interface Happening {
    void happens() throws Exception;
  }

  static ExchangeApi exchange() throws Exception {
    return new ExchangeApi(Main.client("exchange:read_quote_execution"));
  }

  /** Lists all executions since a time, oldest first. Triggers the next event after each page. */
  static List<QuoteExecution> walk(OffsetDateTime begin, Happening... happenings) throws Exception {
    var api = exchange();
    var seen = new ArrayList<QuoteExecution>();
    var left = new ArrayDeque<>(List.of(happenings));
    String cursor = null;
    do {
      try {
        var page = api.listQuoteExecutions(Main.env("DIGITAL_ASSETS_PROFILE_ID"), null, null, null, begin, null,
            cursor == null ? PAGE : null, Order.ASC, null, cursor);
        seen.addAll(page.getItems());
        cursor = page.getNextPageCursor();
        if (cursor != null && !left.isEmpty()) left.remove().happens();
      } catch (ApiException error) {
        if (error.getCode() == 401) api = exchange();
        else if (error.getCode() != 503) throw error;
      }
    } while (cursor != null);
    Main.check(left.isEmpty(), "not all events were triggered");
    return seen;
  }

  static List<UUID> ids(List<QuoteExecution> records) {
    return records.stream().map(QuoteExecution::getId).toList();
  }

  public static void main(String[] arguments) throws Exception {
    var client = new ApiClient();
    client.updateBaseUri(Main.env("SANDBOX_URL"));
    var control = new ControlApi(client);

    var expected = walk(Main.LONG_AGO);
    Main.check(expected.size() > 4 * PAGE, "there are too few records for several pages");
    var late = client.getObjectMapper().convertValue(
        expected.get(expected.size() / 2), sandboxcontrol.model.QuoteExecution.class).id(UUID.randomUUID());

    var before = control.getSandbox();
    var fault = new Fault().kind(Fault.KindEnum.STATUS).status(503);
    var walked = walk(Main.LONG_AGO,
        () -> control.queueFaults(new Faults().operation(LIST).fault(fault).times(2)),
        () -> control.revokeTokens(),
        () -> {},
        () -> control.insertQuoteExecution(late));
    var after = control.getSandbox();

    Main.check(ids(walked).equals(ids(expected)), "the records aren't each returned once, in order");
    Main.check(after.getTokenRequests() - before.getTokenRequests() == 2, "expected two token requests");
    var lists = after.getRequestCounts().get(LIST) - before.getRequestCounts().get(LIST);
    var pages = (expected.size() + PAGE - 1) / PAGE;
    Main.check(lists == pages + 3, "expected 3 failed requests, not " + (lists - pages));

    var known = new HashSet<>(ids(walked));
    var found = ids(walk(late.getCreatedAt())).stream().filter(id -> !known.contains(id)).toList();
    Main.check(found.equals(List.of(late.getId())), "reading the same time range again must find only the late record");
    var everything = ids(walk(Main.LONG_AGO)).stream().sorted().toList();
    Main.check(everything.equals(Stream.concat(known.stream(), found.stream()).sorted().toList()), "a record is missing or was returned twice");
    System.out.println("a 503, a revoked token and a late record: " + everything.size() + " records, each once");
  }
}
