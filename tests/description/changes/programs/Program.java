import java.time.OffsetDateTime;
import java.util.List;
import tickets.ApiClient;
import tickets.api.DesksApi;
import tickets.model.*;

/** Uses the Java client from openapi-generator, in which all parameters are positional. */
public class Program {
  public static void main(String[] arguments) throws Exception {
    var client = new ApiClient();
    client.updateBaseUri(System.getenv("BASE_URL"));
    var api = new DesksApi(client);

    OffsetDateTime since = OffsetDateTime.parse("2025-01-01T00:00:00Z"), until = OffsetDateTime.parse("2025-02-01T00:00:00Z");
    SalePage sales = api.listSales("d1", Side.STALLS_LEFT, since, until, 5);
    for (Sale it : sales.getItems()) {
      String price = it.getPrice(), seat = it.getSeatId();
      System.out.println(String.join(" ", it.getId().toString(), price, seat, it.getSide().toString(),
          it.getSide() == Side.STALLS_RIGHT ? "right" : "left"));
    }

    DeskPage desks = api.listDesks(List.of("a", "b"), 10);
    for (Desk it : desks.getItems()) {
      System.out.println(String.join(" ", it.getId(), it.getOpenedAt().toLocalDate().toString(), it.getMemo(), it.getMetadata().toString()));
    }

    var clerk = new NewClerk().name("Ann").city("Bonn").roles(List.of("seller")).note("new");
    AddClerksResponse added = api.addClerks(new AddClerksRequest().clerks(List.of(clerk)));
    for (Clerk it : added.getClerks()) {
      System.out.println(it.getName() + " " + it.getId() + " " + String.join(" ", it.getRoles()));
    }
  }
}
