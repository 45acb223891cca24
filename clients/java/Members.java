import digitalassets.ApiClient;
import digitalassets.ApiException;
import digitalassets.api.IdentityApi;
import digitalassets.model.AddInstitutionMembersRequest;
import digitalassets.model.InstitutionMemberToAdd;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

/** Adds a member to an institution. */
public class Members {
  static String env(String name) {
    return System.getenv("DIGITAL_ASSETS_" + name);
  }

  static String token(String scope) throws Exception {
    var form = Map.of("grant_type", "client_credentials", "client_id", env("CLIENT_ID"),
        "client_secret", env("CLIENT_SECRET"), "scope", scope);
    var body = form.entrySet().stream()
        .map(it -> it.getKey() + "=" + URLEncoder.encode(it.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
    var request = HttpRequest.newBuilder(URI.create(env("AUTH_URL")))
        .header("Content-Type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString(body)).build();
    var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != 200) throw new IllegalStateException("token endpoint: status " + answer.statusCode());
    return new ObjectMapper().readTree(answer.body()).get("access_token").asText();
  }

  public static void main(String[] arguments) throws Exception {
    var token = token("identity:write_identity");
    var client = new ApiClient();
    client.updateBaseUri(env("BASE_URL"));
    client.setRequestInterceptor(it -> it.setHeader("Authorization", "Bearer " + token));
    var member = new InstitutionMemberToAdd().identityId(UUID.fromString(env("IDENTITY_ID"))).roles(List.of("ROLE_NAME"));
    var body = new AddInstitutionMembersRequest()
        .institutionId(UUID.fromString(env("INSTITUTION_ID"))).members(List.of(member));
    try {
      for (var it : new IdentityApi(client).addInstitutionMembers(body).getMembers()) {
        System.out.println(it.getId() + " " + it.getIdentityId());
      }
    } catch (ApiException error) {
      // After a timeout or a 5xx, the members may have been added. Check whether they were before you retry.
      throw new IllegalStateException("status " + error.getCode(), error);
    }
  }
}
